// SPDX-License-Identifier: Apache-2.0
// The page's tables and controls.
"use strict";

CT.fillSelect = (select, entries, chosen) => {
    select.textContent = "";
    for (const [value, text] of entries) select.append(CT.element("option", { value }, text));
    if (entries.some(e => String(e[0]) === String(chosen))) select.value = chosen;
};

CT.cell = (text, kind) => CT.element("td", kind ? { class: kind } : {}, text);
CT.headOf = names => CT.element("tr", {}, ...names.map(([name, kind]) => CT.element("th", kind ? { class: kind, scope: "col" } : { scope: "col" }, name)));

function tile(value, name, wide) {
    return CT.element("div", { class: wide ? "tile wide" : "tile" }, CT.element("b", {}, value), CT.element("span", {}, name));
}

function showSummary(s) {
    const box = CT.id("summary"), best = s.best[0];
    const failed = s.n - Array.from(s.status).filter(x => x === "0").length;
    const run = s.runs.filter(r => r.default_time_ns > 0).pop(), host = s.runs.filter(r => r.baseline_time_ns > 0).pop();
    box.textContent = "";
    box.append(tile(CT.number(s.n), s.n === 1 ? "result" : "results"), tile(CT.number(failed), "failed"));
    if (best) {
        box.append(tile(s.show(s.isTime ? best.time : best.value), "best " + s.objective.replace(/_/g, " ")));
        if (run) box.append(tile(CT.number(run.default_time_ns / best.time) + "×", "as fast as the default"));
        if (host) box.append(tile(CT.number(host.baseline_time_ns / best.time) + "×", "as fast as the host's code"));
        const valid = s.runs.map(r => r.valid_count).filter(v => v > 0).pop();
        if (valid) box.append(tile(CT.number(100 * Math.min(1, s.n / valid)) + "%", "of " + CT.number(valid) + " valid configurations"));
        if (best.row >= 0) box.append(tile(CT.configuration(s, best.row), "best configuration", true));
    }
}

function showBest(s) {
    const table = CT.id("best"), filtered = CT.isFiltered();
    const ranks = new Map(s.best.map(b => [b.row, b]));
    const rows = filtered ? s.rows.slice(0, 20) : s.best.map(b => b.row).filter(row => row >= 0);
    const differing = s.params.filter(p => rows.some(row => p.codes[row] !== p.codes[rows[0]]));
    const shared = s.params.filter(p => !differing.includes(p));
    table.textContent = "";
    CT.id("shared").textContent = rows.length > 1 && shared.length ? "All of these have " + CT.configuration(s, rows[0], shared) : "";
    if (!rows.length) { CT.id("shared").textContent = NOTHING; return; }
    table.append(CT.headOf([["", "number"], [s.objective.replace(/_/g, " "), "number"], ["95% interval of time", "number"], ...differing.map(p => [p.name, ""]), ["play-off", ""]]));
    rows.forEach((row, i) => {
        const rank = ranks.get(row), low = s.time[row] * (1 - s.interval[2 * row] / 1e4), high = s.time[row] * (1 + s.interval[2 * row + 1] / 1e4);
        table.append(CT.element("tr", {}, CT.cell(String(i + 1), "number"), CT.cell(s.show(s.value[row]), "number"),
            CT.cell(s.interval[2 * row] === null ? "" : CT.time(low) + " – " + CT.time(high), "number"),
            ...differing.map(p => CT.cell(p.label(p.codes[row]), "word")),
            CT.cell(!rank || rank.rank < 0 ? "" : rank.rank === 0 ? "pick" : rank.tied ? "tied" : "rank " + (rank.rank + 1))));
    });
}

function showFailures(s) {
    const box = CT.id("failures");
    box.textContent = "";
    if (!s.failures.length) { box.append(CT.element("p", {}, "No configuration failed.")); return; }
    const table = CT.element("table", {}, CT.headOf([["results", "number"], ["status", ""], ["phase", ""], ["message", ""]]));
    for (const f of s.failures.slice().sort((a, b) => b.count - a.count)) {
        const text = CT.element("td", { class: "text" }, CT.element("div", {}, f.message));
        if (f.status) text.append(CT.element("div", { class: "note" }, (f.count > 1 ? "for example " : "") + CT.configuration(s, f.first)));
        if (f.log) text.append(CT.element("details", {}, CT.element("summary", {}, "compiler log"), CT.element("pre", {}, f.log)));
        table.append(CT.element("tr", {}, CT.cell(CT.number(f.count), "number"), CT.element("td", { class: "bad" }, f.status.replace(/_/g, " ")), CT.cell(f.phase), text));
    }
    box.append(CT.element("div", { class: "scroll" }, table));
}

const isIdentifier = text => /^[A-Za-z0-9_.,:\/+-]+$/.test(text);
const shellWord = text => isIdentifier(text) ? text : "'" + text.replace(/'/g, "'\\''") + "'";

/* The newest search: a recheck or an import is none. */
function commandOf(s) {
    const run = s.runs.filter(r => r.strategy !== "recheck" && r.strategy !== "import").pop();
    if (!run) return "";
    return ["cltune search", shellWord(s.space || s.kernel + ".ini"), "-d", shellWord(s.device), "-s", shellWord(run.strategy.split(" ")[0]), "--seed", run.seed,
        ...(s.objective === "time" ? [] : ["--objective", shellWord(s.objective)]),
        ...Object.keys(s.problem).map(name => "-p " + shellWord(name + "=" + s.problem[name]))].join(" ");
}

function showEnvironment(s) {
    const box = CT.id("environment"), command = commandOf(s);
    const facts = [["Kernel", s.kernel + (s.outdated ? " (an older version of its source)" : "")], ["Problem", CT.values(s.problem) || "none"],
        ["Device", s.device + " (" + s.type + ", " + s.units + " compute units)"], ["Vendor", s.vendor], ["Driver", s.driver],
        ["Platform", [s.platform, s.platform_version].filter(Boolean).join(", ")], ["OpenCL", s.opencl],
        ["Space file", s.space || "unknown"], ["Report", "cltune " + CT.data.version + ", " + CT.date(CT.data.made)]];
    const table = CT.element("table", {});
    for (const [name, value] of facts) table.append(CT.element("tr", {}, CT.element("th", { scope: "row" }, name), CT.cell(value || "unknown", "text")));
    box.textContent = "";
    box.append(table);
    if (command) box.append(CT.element("h3", {}, "To search again"), CT.element("pre", {}, command));
    if (s.ceilings.length)
        box.append(CT.element("h3", {}, "Ceilings of the device"), CT.element("div", { class: "scroll" }, CT.element("table", {}, CT.headOf([["name", ""], ["value", "number"], ["interval", "number"], ["measured", ""]]),
            ...s.ceilings.map(e => CT.element("tr", {}, CT.cell(e.name), CT.cell(CT.number(e.value) + " " + e.unit, "number"),
                CT.cell(CT.number(e.low) + " – " + CT.number(e.high), "number"), CT.cell(CT.date(e.measured)))))));
    const runs = CT.element("table", {}, CT.headOf([["started", ""], ["seconds", "number"], ["strategy", ""], ["seed", "number"], ["status", ""], ["new", "number"], ["reused", "number"], ["noise", "number"], ["drift", "number"], ["cltune", ""]]));
    const share = v => v === null ? "" : CT.number(100 * v) + "%";
    for (const r of s.runs.slice(-50))
        runs.append(CT.element("tr", {}, CT.cell(CT.date(r.started)), CT.cell(r.ended > 0 ? CT.number(r.ended - r.started) : "", "number"), CT.cell(r.strategy), CT.cell(String(r.seed), "number"), CT.cell(r.status),
            CT.cell(r.evaluated_count < 0 ? "" : CT.number(r.evaluated_count), "number"), CT.cell(r.reused_count < 0 ? "" : CT.number(r.reused_count), "number"), CT.cell(share(r.resolution), "number"), CT.cell(share(r.drift), "number"), CT.cell(r.version)));
    box.append(CT.element("h3", {}, "Runs"), CT.element("div", { class: "scroll" }, runs));
    if (s.limits)
        box.append(CT.element("details", {}, CT.element("summary", {}, "Everything that the device reported"), CT.element("pre", {}, JSON.stringify(s.limits, null, 1))));
}

/* --- filters --- */

function showFilters(s) {
    const chips = CT.id("chips"), count = s.rows.length + s.failedCount;
    const chip = (text, undo) => {
        const button = CT.element("button", { type: "button", class: "chip", "aria-label": "Remove the filter " + text }, CT.short(text, 60) + " ×");
        button.addEventListener("click", undo);
        chips.append(button);
    };
    CT.id("selected").textContent = CT.isFiltered() ? CT.number(count) + " of " + CT.number(s.n) + " results selected" : "All " + CT.number(s.n) + " results";
    chips.textContent = "";
    for (const [p, codes] of CT.filter.params)
        chip(s.params[p].name + "=" + Array.from(codes, code => s.params[p].label(code)).join(", "), () => CT.setValues(p, null));
    if (CT.filter.range) chip(s.show(CT.filter.range[0]) + " to " + s.show(CT.filter.range[1]), () => CT.setRange(null));
    if (CT.isFiltered()) {
        const all = CT.element("button", { type: "button", id: "clear" }, "Clear all");
        all.addEventListener("click", CT.clear);
        chips.append(all);
    }
    for (const button of document.querySelectorAll("#value-buttons button"))
        button.setAttribute("aria-pressed", String((CT.filter.params.get(Number(button.dataset.param)) || new Set()).has(Number(button.dataset.code))));
}

function makeValueButtons(s) {
    const box = CT.id("value-buttons");
    box.textContent = "";
    s.params.forEach((param, p) => {
        if (param.values.length < 2) return;
        const group = CT.element("fieldset", {}, CT.element("legend", {}, param.name));
        for (const code of param.order.slice(0, 64)) {
            const button = CT.element("button", { type: "button", "data-param": p, "data-code": code, "aria-pressed": "false" }, CT.short(param.label(code), 30));
            button.addEventListener("click", () => CT.toggleValue(p, code));
            group.append(button);
        }
        if (param.order.length > 64) group.append(CT.element("span", { class: "note" }, "and " + (param.order.length - 64) + " more: use the parallel coordinates"));
        box.append(group);
    });
}

CT.changed = () => {
    CT.select(CT.subject);
    showFilters(CT.subject);
    showBest(CT.subject);
    CT.drawAll();
};

/* --- the whole page --- */

const decoded = new Map();
CT.choose = index => {
    if (!decoded.has(index)) decoded.set(index, CT.decode(CT.data.subjects[index]));
    const s = CT.subject = decoded.get(index);
    CT.brushes.clear();
    CT.filter.params.clear();
    CT.filter.range = null;
    CT.id("title").textContent = s.kernel + " on " + s.device;
    document.title = s.kernel + " – cltune report";
    CT.id("subtitle").textContent = [CT.values(s.problem), s.driver && "driver " + s.driver, "made " + CT.date(CT.data.made)].filter(Boolean).join(" · ");
    const params = s.params.map((param, p) => [p, param.name]).filter(([p]) => s.params[p].values.length > 1);
    CT.select(s);
    const strong = CT.byEffect(s);
    CT.fillSelect(CT.id("heat-x"), params, strong[0]);
    CT.fillSelect(CT.id("heat-y"), params, strong[1]);
    makeValueButtons(s);
    CT.makeBoxes(s);
    CT.fillCompare();
    showFilters(s);
    showSummary(s);
    showBest(s);
    CT.showImportance(s);
    showFailures(s);
    showEnvironment(s);
    CT.drawAll(() => { document.documentElement.dataset.ready = Math.round(performance.now()); });
};

CT.start = () => {
    const subjects = CT.data.subjects;
    const redraw = id => () => CT.drawChart(CT.charts.get(id));
    CT.startTheme();
    CT.fillSelect(CT.id("subject"), subjects.map((s, i) => [i, [s.kernel + (s.outdated ? " (older source)" : ""), s.device, CT.values(s.problem), CT.number(s.n) + " results"].filter(Boolean).join(", ")]), 0);
    CT.id("subject-label").hidden = subjects.length < 2;
    CT.id("subject").addEventListener("change", event => CT.choose(Number(event.target.value)));
    CT.addChart(CT.id("convergence"), CT.convergence);
    CT.addChart(CT.id("distribution"), CT.distribution, CT.clickDistribution);
    CT.addChart(CT.id("importance"), CT.importance, CT.clickImportance, chart => chart.resize());
    CT.addChart(CT.id("parallel"), CT.parallel, CT.clickParallel, CT.restoreBrushes);
    CT.addChart(CT.id("heat"), CT.heat, CT.clickHeat);
    CT.addChart(CT.id("roofline"), CT.roofline);
    CT.addChart(CT.id("sizes"), CT.sizes);
    CT.addChart(CT.id("devices"), CT.devices);
    CT.id("convergence-x").addEventListener("change", redraw("convergence"));
    for (const id of ["heat-x", "heat-y", "heat-of"]) CT.id(id).addEventListener("change", redraw("heat"));
    for (const id of ["compare-x", "compare-y"]) CT.id(id).addEventListener("change", () => { redraw("sizes")(); redraw("devices")(); });
    CT.id("about").textContent = "Made by cltune " + CT.data.version + ". Charts by Apache ECharts " + echarts.version +
        ", Copyright 2017-2026 The Apache Software Foundation, Apache License 2.0; parts Copyright 2010-2016 Mike Bostock, BSD 3-Clause.";
    /* Most results are what the user is here for. */
    const first = subjects.reduce((most, s, i) => s.n > subjects[most].n ? i : most, 0);
    CT.id("subject").value = first;
    CT.choose(first);
};

CT.start();
