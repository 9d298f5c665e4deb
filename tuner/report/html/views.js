// SPDX-License-Identifier: Apache-2.0
// The charts of one kernel and problem on one device.
"use strict";

const NOTHING = "No successful result is selected.";
const CLOUD_MOST = 20000, LINES_MOST = 1200;

/* At most `most` of a list, evenly spread, always with its start. */
function spread(list, most) {
    if (list.length <= most) return list;
    const out = [];
    for (let i = 0; i < most; i++) out.push(list[Math.floor(i * list.length / most)]);
    return out;
}

function extent(list) {
    let low = Infinity, high = -Infinity;
    for (const value of list) { if (value < low) low = value; if (value > high) high = value; }
    return [low, high];
}

/* --- convergence --- */

function bestSoFar(s, x) {
    const line = [];
    let best = NaN, end = 0;
    for (let row = 0; row < s.n; row++) {
        end = x(row);
        if (!s.ok[row]) continue;
        const value = s.seen(row);
        if (!(value > 0) || !(Number.isNaN(best) || s.better(value, best))) continue;
        best = value;
        line.push([end, best / s.scale]);
    }
    if (line.length) line.push([end, best / s.scale]);
    return line;
}

CT.convergence = c => {
    const s = CT.subject, seconds = CT.id("convergence-x").value === "seconds";
    const x = seconds ? row => s.elapsed[row] : row => row + 1;
    const line = bestSoFar(s, x), selected = [], others = [];
    if (!line.length) return "No result is successful.";
    const all = [];
    for (let row = 0; row < s.n; row++) if (s.ok[row] && s.seen(row) > 0) all.push(row);
    for (const row of spread(all, CLOUD_MOST)) (s.chosen[row] ? selected : others).push([x(row), s.seen(row) / s.scale]);
    const [low, high] = extent(all.map(row => s.seen(row) / s.scale));
    const standard = s.runs.map(run => run.default_value).filter(v => v > 0).pop();
    const dots = (name, data, color, opacity) => ({
        name, type: "scatter", data, symbolSize: 4, itemStyle: { color, opacity }, large: true, largeThreshold: 2000, progressive: 0, silent: true,
    });
    return {
        grid: { left: 70, right: 24, top: 34, bottom: 46 },
        legend: { top: 0, textStyle: { color: c.text }, itemWidth: 14 },
        tooltip: CT.tooltip(c, p => [].concat(p).filter(q => q.seriesName === "best so far").slice(0, 1)
            .map(q => (seconds ? "after " + CT.number(q.value[0]) + " s: " : "evaluation " + q.value[0] + ": ") + s.show(q.value[1] * s.scale)),
        { trigger: "axis" }),
        xAxis: CT.axis(c, { type: "value", name: seconds ? "seconds" : "evaluations", min: 0, max: Math.max(1, x(s.n - 1)) }),
        yAxis: CT.valueAxis(c, low, high, s.axis),
        series: [
            ...(others.length ? [dots("not selected", others, c.other, 0.6)] : []),
            dots("result", selected, c.accent, 0.65),
            { name: "best so far", type: "line", step: "end", data: line, showSymbol: false, lineStyle: { color: c.best, width: 2.5 },
                itemStyle: { color: c.best }, z: 5,
                markLine: standard ? { silent: true, symbol: "none", lineStyle: { color: c.soft, type: "dashed" },
                    label: { formatter: "default", color: c.soft, position: "insideEndTop" }, data: [{ yAxis: standard / s.scale }] } : undefined },
        ],
    };
};

/* --- distribution --- */

CT.histogram = (s, bins) => {
    const values = [];
    for (let row = 0; row < s.n; row++) if (s.ok[row] && s.value[row] > 0) values.push(s.value[row]);
    if (!values.length) return null;
    const [low, high] = extent(values), log = high / low > 10;
    const count = high > low ? bins : 1, out = [];
    const edge = i => i === count ? high : log ? low * Math.pow(high / low, i / count) : low + (high - low) * i / count;
    for (let i = 0; i < count; i++) out.push({ low: edge(i), high: edge(i + 1), selected: 0, others: 0 });
    for (let row = 0; row < s.n; row++) {
        const v = s.value[row];
        if (!s.ok[row] || !(v > 0)) continue;
        const at = high > low ? (log ? Math.log(v / low) / Math.log(high / low) : (v - low) / (high - low)) : 0;
        const bin = out[Math.min(count - 1, Math.max(0, Math.floor(at * count)))];
        if (s.chosen[row]) bin.selected++; else bin.others++;
    }
    return out;
};

CT.distribution = c => {
    const s = CT.subject, bins = CT.bins = CT.histogram(s, 50);
    if (!bins) return "No result is successful.";
    const bar = (name, key, color) => ({ name, type: "bar", stack: "all", barCategoryGap: "6%", data: bins.map(b => b[key]), itemStyle: { color } });
    return {
        grid: { left: 60, right: 20, top: 16, bottom: 46 },
        tooltip: CT.tooltip(c, p => {
            const b = bins[[].concat(p)[0].dataIndex];
            return [s.show(b.low) + " to " + s.show(b.high), b.selected + b.others + " results" + (b.others ? ", " + b.selected + " selected" : "")];
        }, { trigger: "axis", axisPointer: { type: "shadow" } }),
        xAxis: CT.axis(c, { type: "category", name: s.axis, data: bins.map(b => CT.number((b.low + b.high) / 2 / s.scale)), splitLine: { show: false } }),
        yAxis: CT.axis(c, { type: "value", name: "results", nameGap: 44 }),
        series: [bar("selected", "selected", c.accent), bar("not selected", "others", c.other)],
    };
};

CT.clickDistribution = chart => chart.getZr().on("click", event => {
    const at = chart.convertFromPixel({ gridIndex: 0 }, [event.offsetX, event.offsetY]);
    const bin = chart.containPixel({ gridIndex: 0 }, [event.offsetX, event.offsetY]) && CT.bins[Math.round(at[0])];
    if (!bin) return;
    const range = CT.filter.range;
    CT.setRange(range && range[0] === bin.low && range[1] === bin.high ? null : [bin.low, bin.high]);
});

/* --- parallel coordinates --- */

/* The axes: parameters with more than one value. */
const varying = s => s.params.map((param, index) => ({ param, index })).filter(e => e.param.values.length > 1);

CT.parallel = c => {
    const s = CT.subject, axes = varying(s).slice(0, 24);
    if (!s.rows.length) return NOTHING;
    const many = s.rows.length > LINES_MOST;
    const shown = many ? s.rows.slice(0, LINES_MOST / 3).concat(spread(s.rows.slice(LINES_MOST / 3), 2 * LINES_MOST / 3)) : s.rows;
    CT.id("parallel-note").textContent = (many
        ? "The " + LINES_MOST / 3 + " best of the selected results and an even choice of the others, " + shown.length + " of " + CT.number(s.rows.length) + ". "
        : "Every selected result. ") + "Orange lines are the best tenth. Drag along an axis to select a part of all results; click an axis to undo.";
    const [low, high] = extent(s.rows.map(row => s.value[row] / s.scale));
    const tenth = s.value[s.rows[Math.floor(s.rows.length / 10)]];
    const small = { color: c.soft, fontSize: 10, overflow: "truncate", width: 62 };
    const line = row => ({
        value: axes.map(e => e.param.rank[e.param.codes[row]] === undefined ? "-" : e.param.rank[e.param.codes[row]]).concat([s.value[row] / s.scale]),
        lineStyle: s.better(s.value[row], tenth) || s.value[row] === tenth ? { color: c.best, opacity: 0.55 } : { color: c.accent, opacity: many ? 0.12 : 0.25 },
    });
    return {
        parallel: { left: 50, right: 70, top: 46, bottom: 26, axisExpandable: false,
            parallelAxisDefault: { realtime: false, nameLocation: "end", nameGap: 14, nameTextStyle: { color: c.text, fontSize: 11 },
                axisLine: { lineStyle: { color: c.soft } }, axisTick: { lineStyle: { color: c.soft } }, axisLabel: small,
                areaSelectStyle: { width: 18, color: c.accent, opacity: 0.35, borderColor: c.accent } } },
        parallelAxis: axes.map((e, i) => ({ id: "p" + e.index, dim: i, name: CT.short(e.param.name, Math.max(6, Math.floor(110 / axes.length))), type: "category",
            data: e.param.order.map(code => e.param.label(code)) }))
            .concat([Object.assign(CT.valueAxis(c, low, high, s.axis, { nameLocation: "end", nameGap: 14 }), { id: "value", dim: axes.length })]),
        series: [{ type: "parallel", data: shown.slice().reverse().map(line), lineStyle: { width: 1.2 }, inactiveOpacity: 0.03, progressive: 0, silent: true, animation: false }],
    };
};

/* A brush selects among all results, not only those that are drawn. */
CT.brushes = new Map();

CT.clickParallel = chart => chart.on("axisareaselected", event => {
    const intervals = event.intervals || [], s = CT.subject, id = String(event.parallelAxisId);
    if (CT.brushing) return;
    CT.brushes.set(id, intervals);
    if (id === "value") {
        CT.setRange(intervals.length ? [intervals[0][0] * s.scale, intervals[0][1] * s.scale] : null, true);
    } else {
        const p = Number(id.slice(1)), codes = new Set();
        s.params[p].order.forEach((code, i) => { if (intervals.some(r => i >= r[0] - 0.5 && i <= r[1] + 0.5)) codes.add(code); });
        CT.setValues(p, intervals.length ? codes : null, true);
    }
});

/* Brushes outlive a new drawing, unless their filter is gone. */
CT.restoreBrushes = chart => {
    CT.brushing = true;
    for (const [id, intervals] of CT.brushes)
        if (intervals.length) chart.dispatchAction({ type: "axisAreaSelect", parallelAxisId: id, intervals });
    CT.brushing = false;
};

/* --- a box plot for each parameter --- */

const BOXES_MOST = 24;

/* Groups of codes: one for each value, or neighbours together where there are many. */
function groupsOf(param) {
    const count = param.order.length, each = Math.ceil(count / BOXES_MOST), groups = [];
    for (let i = 0; i < count; i += each) {
        const codes = param.order.slice(i, i + each), last = codes[codes.length - 1];
        groups.push({ codes, label: param.label(codes[0]) + (codes.length > 1 ? "–" + param.label(last) : ""), values: [] });
    }
    return { groups, groupOf: code => code < 0 ? -1 : Math.floor(param.rank[code] / each) };
}

/* Of sorted values. */
const quantile = (values, q) => {
    const at = q * (values.length - 1), low = Math.floor(at), high = Math.ceil(at);
    return values[low] + (values[high] - values[low]) * (at - low);
};

CT.box = index => c => {
    const s = CT.subject, param = s.params[index], { groups, groupOf } = groupsOf(param);
    for (const row of s.rows) { const g = groupOf(param.codes[row]); if (g >= 0) groups[g].values.push(s.value[row] / s.scale); }
    if (!s.rows.length) return NOTHING;
    const ascending = values => s.maximize ? values.slice().reverse() : values;
    const boxes = groups.map(g => {
        const v = ascending(g.values);
        return v.length ? [v[0], quantile(v, 0.25), quantile(v, 0.5), quantile(v, 0.75), v[v.length - 1]] : ["-", "-", "-", "-", "-"];
    });
    const [low, high] = extent(s.rows.map(row => s.value[row] / s.scale));
    return {
        title: { text: CT.short(param.name, 34), textStyle: { color: c.text, fontSize: 13, fontWeight: 600 }, left: 0 },
        grid: { left: 62, right: 8, top: 42, bottom: 28 },
        tooltip: CT.tooltip(c, p => {
            const g = groups[p.dataIndex], v = ascending(g.values);
            if (!v.length) return [param.name + "=" + g.label, "no selected result"];
            return [param.name + "=" + g.label, g.values.length + " results, best " + s.show(g.values[0] * s.scale) +
                ", median " + s.show(quantile(v, 0.5) * s.scale) + ", worst " + s.show(g.values[g.values.length - 1] * s.scale)];
        }, { trigger: "item" }),
        xAxis: CT.axis(c, { type: "category", data: groups.map(g => CT.short(g.label, 12)), splitLine: { show: false } }),
        yAxis: CT.valueAxis(c, low, high, s.axis),
        series: [{ type: "boxplot", data: boxes, boxWidth: ["20%", "60%"], itemStyle: { color: c.cold, borderColor: c.accent } }],
    };
};

CT.clickBox = index => chart => chart.on("click", event => {
    const codes = groupsOf(CT.subject.params[index]).groups[event.dataIndex].codes, old = CT.filter.params.get(index);
    CT.setValues(index, old && old.size === codes.length && codes.every(code => old.has(code)) ? null : new Set(codes));
});

CT.makeBoxes = s => {
    CT.removeCharts("box-");
    const boxes = CT.id("boxes");
    boxes.textContent = "";
    for (const { index } of varying(s)) {
        const element = CT.element("div", { class: "chart", id: "box-" + index });
        boxes.append(element);
        CT.addChart(element, CT.box(index), CT.clickBox(index));
    }
    if (!boxes.children.length) boxes.textContent = "No parameter has more than one value.";
};

/* --- two parameters --- */

function heatCells(s, x, y, of) {
    const cells = new Map();
    const cell = row => {
        if (x.codes[row] < 0 || y.codes[row] < 0) return null;
        const key = x.rank[x.codes[row]] * 100000 + y.rank[y.codes[row]];
        if (!cells.has(key)) cells.set(key, { values: [], failed: 0 });
        return cells.get(key);
    };
    for (const row of s.rows) { const found = cell(row); if (found) found.values.push(s.value[row]); }
    for (let row = 0; row < s.n; row++) if (s.chosen[row] && !s.ok[row]) { const found = cell(row); if (found) found.failed++; }
    const measure = {
        best: f => f.values.length ? f.values[0] / s.scale : NaN,
        median: f => f.values.length ? quantile(f.values, 0.5) / s.scale : NaN,
        failed: f => 100 * f.failed / (f.values.length + f.failed),
        count: f => f.values.length + f.failed,
    }[of];
    return Array.from(cells, ([key, f]) => [Math.floor(key / 100000), key % 100000, measure(f)]).filter(d => Number.isFinite(d[2]));
}

CT.heat = c => {
    const s = CT.subject, x = s.params[CT.id("heat-x").value], y = s.params[CT.id("heat-y").value], of = CT.id("heat-of").value;
    if (!x || !y || x === y) return "Choose two different parameters with more than one value each.";
    const data = heatCells(s, x, y, of), isValue = of === "best" || of === "median";
    if (!data.length) return "No selected result has both parameters.";
    const [low, high] = extent(data.map(d => d[2])), goodFirst = isValue && !s.maximize;
    const show = v => isValue ? s.show(v * s.scale) : CT.number(v) + (of === "failed" ? "%" : "");
    const isStrong = v => high > low && ((v - low) / (high - low) > 0.5) !== goodFirst;
    const names = p => p.order.map(code => p.label(code));
    return {
        /* A heat map's canvas has several layers, of which paper shows the last alone. */
        renderer: data.length < 3000 ? "svg" : "canvas",
        grid: { left: 96, right: 100, top: 12, bottom: 48 },
        tooltip: CT.tooltip(c, p => [x.name + "=" + names(x)[p.value[0]] + " " + y.name + "=" + names(y)[p.value[1]], of + ": " + show(p.value[2])]),
        xAxis: CT.axis(c, { type: "category", name: CT.short(x.name, 40), data: names(x).map(t => CT.short(t, 14)), splitLine: { show: false } }),
        yAxis: CT.axis(c, { type: "category", name: CT.short(y.name, 30), nameGap: 76, data: names(y).map(t => CT.short(t, 11)), splitLine: { show: false } }),
        visualMap: { min: low, max: high > low ? high : low + 1, right: 4, top: "middle", calculable: false, itemHeight: 160, itemWidth: 14,
            inRange: { color: goodFirst ? [c.warm, c.cold] : [c.cold, c.warm] }, textStyle: { color: c.soft, fontSize: 11 },
            text: [show(high), show(low)] },
        series: [{ type: "heatmap", progressive: 0, data: data.map(value => ({ value, label: { color: isStrong(value[2]) ? c.back : c.text } })), itemStyle: { borderColor: c.back, borderWidth: 1 },
            label: { show: x.order.length <= 12 && y.order.length <= 16, fontSize: 11, formatter: p => CT.number(p.value[2]) } }],
    };
};

/* The parameters whose values' medians differ most come first. */
CT.byEffect = s => varying(s).map(e => {
    const { groups, groupOf } = groupsOf(e.param);
    for (const row of s.rows) { const g = groupOf(e.param.codes[row]); if (g >= 0) groups[g].values.push(s.value[row]); }
    const [low, high] = extent(groups.filter(g => g.values.length).map(g => quantile(g.values, 0.5)));
    return { index: e.index, effect: low > 0 && high > 0 ? high / low : 1 };
}).sort((a, b) => b.effect - a.effect || a.index - b.index).map(e => e.index);

CT.clickHeat = chart => chart.on("click", event => {
    const s = CT.subject, x = Number(CT.id("heat-x").value), y = Number(CT.id("heat-y").value);
    CT.filter.params.set(x, new Set([s.params[x].order[event.value[0]]]));
    CT.filter.params.set(y, new Set([s.params[y].order[event.value[1]]]));
    CT.changed();
});

/* --- roofline --- */

CT.roofline = c => {
    const s = CT.subject, note = CT.id("roofline-note"), peak = name => (s.ceilings.find(e => e.name === name) || {}).value;
    const bytes = s.metric("bytes"), operations = s.metric("operations"), copy = peak("copy"), mad = peak("mad");
    note.textContent = "";
    if (!bytes || !operations)
        return "The space file has no metrics 'bytes' and 'operations', which the roofline needs. Add them to its [metrics] section.";
    const points = spread(s.rows, CLOUD_MOST).filter(row => s.time[row] > 0 && bytes[row] > 0 && operations[row] > 0)
        .map(row => [operations[row] / bytes[row], operations[row] / s.time[row], row]);
    if (!points.length) return NOTHING;
    note.textContent = copy > 0 && mad > 0
        ? "The ceilings are what 'cltune peak' measured: " + CT.number(copy) + " GB/s and " + CT.number(mad) + " GFLOP/s. Results whose data fit into a cache can be above the slope."
        : "The device's ceilings are unknown. Run 'cltune peak' and make this report again.";
    const [lowX, highX] = extent(points.map(p => p[0])), [lowY, highY] = extent(points.map(p => p[1]));
    const ridge = copy > 0 && mad > 0 ? mad / copy : NaN;
    const left = Math.min(lowX, ridge || lowX) / 4, right = Math.max(highX, ridge || highX) * 4;
    const roof = ridge > 0 ? [[left, left * copy], [ridge, mad], [right, mad]] : [];
    const top = Math.max(highY, mad || 0) * 2;
    const ceiling = (x, y, position, formatter) => ({ coord: [x, y], label: { show: true, position, offset: [0, -8], color: c.soft, fontSize: 11, formatter } });
    const names = roof.length ? [ceiling(Math.sqrt(left * ridge), Math.sqrt(left * ridge) * copy, "left", CT.number(copy) + " GB/s"),
        ceiling(Math.sqrt(ridge * right), mad, "inside", CT.number(mad) + " GFLOP/s")] : [];
    return {
        grid: { left: 76, right: 30, top: 20, bottom: 48 },
        tooltip: CT.tooltip(c, p => p.value.length > 2
            ? [CT.number(p.value[1]) + " GFLOP/s, " + CT.number(p.value[1] / p.value[0]) + " GB/s", CT.configuration(s, p.value[2])] : ["ceiling"]),
        xAxis: CT.axis(c, { type: "log", name: "operations per byte", min: left, max: right, axisLabel: { color: c.soft, showMinLabel: false, showMaxLabel: false, formatter: v => CT.number(v) } }),
        yAxis: CT.axis(c, { type: "log", name: "GFLOP/s", nameGap: 54, min: Math.min(lowY, roof.length ? roof[0][1] : lowY) / 2, max: top, axisLabel: { color: c.soft, showMinLabel: false, showMaxLabel: false, formatter: v => CT.number(v) } }),
        series: [
            { type: "line", name: "ceiling", data: roof, showSymbol: false, silent: true, lineStyle: { color: c.soft, width: 2 }, markPoint: { silent: true, symbolSize: 0, data: names } },
            { type: "scatter", name: "result", data: points.slice().reverse(), symbolSize: 5, itemStyle: { color: c.accent, opacity: 0.5 }, large: points.length > 3000, progressive: 0 },
            { type: "scatter", name: "best", data: points.slice(0, 1), symbolSize: 12, itemStyle: { color: c.best }, silent: true, label: { show: true, position: "right", color: c.text, formatter: "best" } },
        ],
    };
};
