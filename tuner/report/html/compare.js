// SPDX-License-Identifier: Apache-2.0
// The best of other devices and problems beside each other.
"use strict";

/* What the subjects of the same kernel and source have reached. */
CT.peers = () => {
    const s = CT.subject;
    return CT.data.subjects.filter(o => o.kernel === s.kernel && o.outdated === s.outdated && o.best.length).map(o => {
        const best = o.best[0], run = o.runs.filter(r => r.default_time_ns > 0).pop();
        const peer = { of: o, device: o.device + (o.driver ? " (" + o.driver + ")" : ""), time: best.time, metrics: best.metrics || {} };
        peer.gain = run ? run.default_time_ns / best.time : NaN;
        return peer;
    });
};

/* The same for a device in both charts. */
CT.deviceColour = device => {
    const palette = CT.palette(CT.isDark()), devices = Array.from(new Set(CT.peers().map(peer => peer.device)));
    return palette[devices.indexOf(device) % palette.length];
};

const measures = {
    rate: { name: "runs per second", value: p => 1e9 / p.time },
    time: { name: "time (ms)", value: p => p.time / 1e6 },
    gain: { name: "speed-up over the default", value: p => p.gain },
};

CT.measure = key => key.startsWith("metric:")
    ? { name: key.slice(7), value: p => Number(p.metrics[key.slice(7)]) }
    : measures[key] || measures.rate;

/* Names of sizes that are numbers and differ between problems. */
CT.sizeNames = peers => {
    const seen = new Map();
    for (const peer of peers)
        for (const name of Object.keys(peer.of.problem)) {
            if (typeof peer.of.problem[name] !== "number") continue;
            if (!seen.has(name)) seen.set(name, new Set());
            seen.get(name).add(peer.of.problem[name]);
        }
    return Array.from(seen).filter(([, values]) => values.size > 1).map(([name]) => name);
};

CT.fillCompare = () => {
    const peers = CT.peers(), names = CT.sizeNames(peers), metrics = new Set();
    for (const peer of peers) for (const name of Object.keys(peer.metrics)) metrics.add(name);
    CT.fillSelect(CT.id("compare-x"), names.map(name => [name, name]), CT.id("compare-x").value);
    const preferred = ["gflops", "gbytes"].find(name => metrics.has(name));
    CT.fillSelect(CT.id("compare-y"), Object.keys(measures).map(key => [key, measures[key].name])
        .concat(Array.from(metrics).map(name => ["metric:" + name, name])),
    CT.id("compare-y").value || (preferred ? "metric:" + preferred : "rate"));
    /* Imported results name no driver, and may be of one size. */
    CT.id("compare-x").parentElement.hidden = !names.length;
    CT.id("compare-controls").hidden = peers.length < 2;
    CT.id("compare-note").textContent = peers.length < 2 ? ""
        : "The best of each device and problem of kernel " + CT.subject.kernel + ".";
};

CT.sizes = c => {
    const peers = CT.peers(), name = CT.id("compare-x").value, measure = CT.measure(CT.id("compare-y").value);
    if (peers.length < 2) return "Only one device and problem has results: there is nothing to compare.";
    if (!name) return "All results are of the same sizes.";
    const lines = new Map(), colours = [];
    for (const peer of peers) {
        const x = peer.of.problem[name], y = measure.value(peer);
        /* Problems that differ in other sizes, too, are lines of their own. */
        const rest = Object.keys(peer.of.problem).filter(other => other !== name && CT.sizeNames(peers).includes(other))
            .map(other => other + "=" + peer.of.problem[other]).join(" ");
        const key = peer.device + (rest ? ", " + rest : "");
        if (typeof x !== "number" || !(y > 0)) continue;
        if (!lines.has(key)) {
            lines.set(key, []);
            colours.push(rest ? null : CT.deviceColour(peer.device));
        }
        lines.get(key).push([x, y]);
    }
    if (!lines.size) return "No best result has a value of " + measure.name + ".";
    const all = [].concat(...lines.values()), [lowX, highX] = extent(all.map(p => p[0])), [lowY, highY] = extent(all.map(p => p[1]));
    return {
        color: colours.includes(null) ? CT.palette(CT.isDark()) : colours,
        grid: { left: 80, right: 30, top: 44, bottom: 48 },
        legend: { type: "scroll", top: 0, textStyle: { color: c.text, fontSize: 11, overflow: "truncate", width: 420 }, pageTextStyle: { color: c.text } },
        tooltip: CT.tooltip(c, p => [p.seriesName, name + "=" + p.value[0] + ": " + CT.number(p.value[1]) + " " + measure.name], { trigger: "item" }),
        xAxis: CT.valueAxis(c, lowX, highX, name, { nameGap: 28 }),
        yAxis: CT.valueAxis(c, lowY, highY, measure.name, { nameGap: 58, logBase: 10 }),
        series: Array.from(lines).slice(0, 40).map(([key, data]) => ({ name: key, type: "line", symbolSize: 8, data: data.sort((a, b) => a[0] - b[0]) })),
    };
};

CT.devices = c => {
    const s = CT.subject, measure = CT.measure(CT.id("compare-y").value), title = CT.values(s.problem);
    const peers = CT.peers().filter(p => CT.values(p.of.problem) === title && measure.value(p) > 0)
        .sort((a, b) => (measure === measures.time ? 1 : -1) * (measure.value(a) - measure.value(b))).slice(0, 40);
    if (peers.length < 2) return CT.peers().length < 2 ? "" : "Only one device has results of this problem" + (title ? " (" + title + ")" : "") + ".";
    return {
        title: { text: CT.short(title, 80), textStyle: { color: c.text, fontSize: 13 } },
        grid: { left: 12, right: 96, top: 34, bottom: 40, containLabel: true },
        tooltip: CT.tooltip(c, p => [peers[p.dataIndex].device, CT.number(p.value) + " " + measure.name]),
        xAxis: CT.axis(c, { type: "value", name: measure.name }),
        yAxis: { type: "category", inverse: true, data: peers.map(p => p.device), axisLabel: { color: c.soft, fontSize: 11, width: 220, overflow: "truncate" }, axisLine: { lineStyle: { color: c.line } } },
        series: [{ type: "bar", barMaxWidth: 26, data: peers.map(p => ({ value: measure.value(p), itemStyle: { color: CT.deviceColour(p.device) } })),
            label: { show: true, position: "right", color: c.text, formatter: p => CT.number(p.value) } }],
    };
};
