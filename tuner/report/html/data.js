// SPDX-License-Identifier: Apache-2.0
// The stored results of this page, and which of them are selected.
"use strict";
const CT = {};

CT.data = JSON.parse(document.getElementById("data").textContent);

CT.units = [[1e9, "s"], [1e6, "ms"], [1e3, "µs"], [1, "ns"]];

/* Three significant digits or more, without an exponent where possible. */
CT.number = value => {
    if (value === null || !Number.isFinite(value)) return "unknown";
    const size = Math.abs(value);
    if (size !== 0 && (size < 1e-4 || size >= 1e15)) return value.toPrecision(3);
    if (size >= 1000) return Math.round(value).toLocaleString("en");
    return String(Number(value.toPrecision(4)));
};

CT.time = ns => {
    if (!(ns > 0)) return "unknown";
    const [scale, unit] = CT.units.find(u => ns >= u[0]) || [1, "ns"];
    return CT.number(ns / scale) + " " + unit;
};

CT.date = unix => unix > 0 ? new Date(unix * 1000).toISOString().replace("T", " ").slice(0, 16) + " UTC" : "unknown";

CT.values = object => Object.keys(object).map(name => name + "=" + object[name]).join(" ");

/* Numbers ascending, then texts as they were found. */
function orderOf(values) {
    const order = values.map((_, code) => code);
    return order.sort((a, b) => {
        const x = values[a], y = values[b];
        if (typeof x === "number" && typeof y === "number") return x - y;
        return (typeof x === "string") - (typeof y === "string") || a - b;
    });
}

function reals(list, length) {
    const out = new Float64Array(length).fill(NaN);
    if (list) list.forEach((value, i) => { if (value !== null) out[i] = value; });
    return out;
}

function decodeMetric(metric, n) {
    return {
        name: metric.name,
        values: "constant" in metric ? new Float64Array(n).fill(metric.constant) : reals(metric.values, n),
    };
}

/* Seconds of searching: pauses between runs do not count, and a play-off does not move its
   entrants to the end. */
function secondsOf(s) {
    const out = new Float64Array(s.n);
    const starts = new Map();
    let elapsed = 0, last = 0, unix = 0;
    for (let row = 0; row < s.n; row++) {
        unix += s.seconds[row];
        const run = s.runs[s.run[row]];
        if (run && !s.raw.has(row)) {
            if (!starts.has(run)) {
                starts.set(run, elapsed);
            }
            last = Math.max(last, starts.get(run) + Math.max(0, unix - run.started));
            elapsed = last;
        }
        out[row] = last;
    }
    return out;
}

/* Turns what the file holds into columns, once for each subject. */
CT.decode = source => {
    const s = Object.assign({}, source), n = s.n;
    s.time = reals(s.time, n);
    s.value = s.value ? reals(s.value, n) : s.time;
    s.raw = new Map(s.raw);
    s.ok = new Uint8Array(n);
    for (let row = 0; row < n; row++) s.ok[row] = s.status[row] === "0" && Number.isFinite(s.value[row]) ? 1 : 0;
    s.run = [];
    for (const [run, count] of source.run) for (let i = 0; i < count; i++) s.run.push(run);
    s.elapsed = secondsOf(s);
    s.params = s.params.map(param => {
        const order = orderOf(param.values), rank = [];
        order.forEach((code, i) => { rank[code] = i; });
        return {
            name: param.name, values: param.values, codes: Int32Array.from(param.codes), order, rank,
            numeric: param.values.every(value => typeof value === "number"),
            label: code => code < 0 ? "" : param.values[code] === "" ? "''" : String(param.values[code]),
        };
    });
    s.metrics = s.metrics.map(metric => decodeMetric(metric, n));
    s.metric = name => { const found = s.metrics.find(m => m.name === name); return found && found.values; };
    s.isTime = s.objective === "time" || s.objective === "end_to_end";
    s.show = value => s.isTime ? CT.time(value) : CT.number(value);
    s.better = (a, b) => s.maximize ? a > b : a < b;
    /* Under the objective before any play-off: what the search saw. */
    s.seen = row => s.objective === "time" && s.raw.has(row) ? s.raw.get(row) : s.value[row];
    /* The unit of axes. */
    let best = NaN;
    for (let row = 0; row < n; row++) if (s.ok[row] && !(s.better(best, s.value[row]) || best === s.value[row])) best = s.value[row];
    s.bestValue = best;
    const unit = s.isTime ? CT.units.find(u => best >= u[0]) || [1, "ns"] : [1, ""];
    s.scale = unit[0];
    s.axis = s.objective.replace(/_/g, " ") + (unit[1] ? " (" + unit[1] + ")" : "");
    s.title = CT.values(s.problem);
    return s;
};

CT.configuration = (s, row, only) => (only || s.params).filter(p => p.codes[row] >= 0)
    .map(p => p.name + "=" + p.label(p.codes[row])).join(" ");

/* --- what is selected --- */

CT.filter = { params: new Map(), range: null };

CT.isFiltered = () => CT.filter.params.size > 0 || CT.filter.range !== null;

CT.passes = (s, row) => {
    for (const [p, codes] of CT.filter.params) if (!codes.has(s.params[p].codes[row])) return false;
    const range = CT.filter.range;
    return !range || (s.ok[row] === 1 && s.value[row] >= range[0] && s.value[row] <= range[1]);
};

/* Selected rows with a value, the best first, and whether each row is selected. */
CT.select = s => {
    const rows = [], chosen = new Uint8Array(s.n);
    let failed = 0;
    for (let row = 0; row < s.n; row++) {
        if (!CT.passes(s, row)) continue;
        chosen[row] = 1;
        if (s.ok[row]) rows.push(row); else failed++;
    }
    const sign = s.maximize ? -1 : 1;
    rows.sort((a, b) => sign * (s.value[a] - s.value[b]) || a - b);
    s.rows = rows;
    s.chosen = chosen;
    s.failedCount = failed;
};

/* `brushed`: by a brush, which stays; other changes end the brush of the same axis. */
CT.setValues = (p, codes, brushed) => {
    const param = CT.subject.params[p];
    if (!brushed) CT.brushes.delete("p" + p);
    if (!codes || codes.size === 0 || (codes.size >= param.values.length && !param.codes.includes(-1))) CT.filter.params.delete(p);
    else CT.filter.params.set(p, codes);
    CT.changed();
};

CT.toggleValue = (p, code) => {
    const codes = new Set(CT.filter.params.get(p) || []);
    if (!codes.delete(code)) codes.add(code);
    CT.setValues(p, codes);
};

CT.setRange = (range, brushed) => {
    if (!brushed) CT.brushes.delete("value");
    CT.filter.range = range;
    CT.changed();
};

CT.clear = () => {
    CT.brushes.clear();
    CT.filter.params.clear();
    CT.filter.range = null;
    CT.changed();
};
