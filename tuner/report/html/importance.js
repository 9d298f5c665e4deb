// SPDX-License-Identifier: Apache-2.0
// Which parameters matter: sentences, shares of the variation, and pairs that interact.
"use strict";

const IMPORTANCE_MOST = 20;

/* The parameters of the chart; shares are of the logarithm's variation. */
const weighed = s => (s.importance && s.importance.state === "known" ? s.importance.parameters : []).slice(0, IMPORTANCE_MOST);

const percent = share => share === null ? "–" : Math.round(100 * share) + "%";
const ratio = value => value === null ? "–" : CT.number(Number(value.toPrecision(3))) + "×";

function levelOf(level) {
    const one = value => value === null ? "(inactive)" : value === "" ? "''" : String(value);
    if (level !== null && typeof level === "object") return one(level.low) + "–" + one(level.high);
    return one(level);
}

const compared = p => p.worth === null ? "" : p.name + "=" + levelOf(p.best) + " is worth " + ratio(p.worth) + " over " +
    (p.versus_default ? "the default " : "") + p.name + "=" + levelOf(p.versus);

/* Why there are no shares; "" if there are. */
function whyUnknown(s) {
    const of = s.importance;
    if (!of) return "Only the subjects with the most results are analysed. Run 'cltune show " + shellWord(s.kernel) + " --importance', or make a report of this kernel and device alone.";
    if (of.state === "too_few") return "Too few results: at least " + CT.number(of.needed) + " that worked are required.";
    if (of.state === "known") return of.parameters.length ? "" : "No parameter has more than one value.";
    return of.state === "alike" ? "The results do not differ enough to compare parameters." : "More results are required to compare parameters.";
}

CT.importance = c => {
    const s = CT.subject, params = weighed(s), why = whyUnknown(s);
    if (why) return why;
    const total = p => Math.max(p.main, p.total || 0);
    const bar = (name, value, color) => ({ name, type: "bar", stack: "all", barMaxWidth: 22, itemStyle: { color },
        data: params.map(p => 100 * value(p)) });
    return {
        grid: { left: 12, right: 30, top: 34, bottom: 40, containLabel: true },
        legend: { top: 0, textStyle: { color: c.text }, itemWidth: 14 },
        tooltip: CT.tooltip(c, list => {
            const p = params[[].concat(list)[0].dataIndex];
            return [p.name, "alone " + percent(p.main) + ", with its interactions " + percent(p.total), compared(p)].filter(Boolean);
        }, { trigger: "axis", axisPointer: { type: "shadow" } }),
        xAxis: CT.axis(c, { type: "value", name: "share of the variation (%)", min: 0 }),
        yAxis: CT.axis(c, { type: "category", inverse: true, data: params.map(p => p.name), splitLine: { show: false },
            axisLabel: { color: c.text, fontSize: 12, width: 180, overflow: "truncate" } }),
        series: [bar("alone", p => p.main, c.accent), bar("in interactions with others", p => total(p) - p.main, c.best)],
    };
};

/* To the parameter's box plot. */
function goToBox(name) {
    const element = CT.id("box-" + CT.subject.params.findIndex(p => p.name === name));
    if (element) element.scrollIntoView({ block: "center" });
}

CT.clickImportance = chart => chart.on("click", event => {
    const param = weighed(CT.subject)[event.dataIndex];
    if (param) goToBox(param.name);
});

function goToPair(names) {
    names.forEach((name, i) => {
        const select = CT.id(i ? "heat-y" : "heat-x");
        select.value = CT.subject.params.findIndex(p => p.name === name);
    });
    CT.drawChart(CT.charts.get("heat"));
    CT.id("heat-x").focus({ preventScroll: true });
    CT.id("heat").scrollIntoView({ block: "center" });
}

function showInteractions(of) {
    const box = CT.id("interactions");
    box.textContent = "";
    if (of.interactions.length) box.append(CT.element("span", {}, "Interactions, as a heat map:"));
    for (const pair of of.interactions) {
        const button = CT.element("button", { type: "button" }, pair.parameters.join(" and ") + ": " +
            (of.over === "model" ? "about " + percent(Math.round(10 * pair.share) / 10) : percent(pair.share)));
        button.addEventListener("click", () => goToPair(pair.parameters));
        box.append(button);
    }
}

function showTable(of) {
    const table = CT.id("importance-table"), number = text => CT.cell(text, "number");
    table.textContent = "";
    CT.id("importance-details").hidden = !of.parameters.length;
    table.append(CT.headOf([["parameter", ""], ["alone", "number"], ["total", "number"], ["best", ""], ["over", ""], ["worth", "number"], ["95% interval", "number"], ["verdict", ""]]));
    for (const p of of.parameters) {
        const known = p.worth !== null;
        table.append(CT.element("tr", {}, CT.cell(p.name, "word"), number(percent(p.main)), number(percent(p.total)),
            CT.cell(known ? levelOf(p.best) : "–", "word"), CT.cell(known ? levelOf(p.versus) : "–", "word"), number(ratio(p.worth)),
            number(known ? ratio(p.worth_low) + " – " + ratio(p.worth_high) : "–"),
            CT.cell(p.matters ? "matters" : p.no_difference ? "no difference" : "")));
    }
}

CT.showImportance = s => {
    const of = s.importance || { text: [], parameters: [], interactions: [] }, list = CT.id("insight"), shown = weighed(s).length;
    list.textContent = "";
    for (const text of of.text) list.append(CT.element("li", {}, text));
    CT.id("importance-note").textContent = !s.importance ? "" : (of.state === "known" ? "Computed over " : "Of ") + CT.number(of.results) + (of.results === 1 ? " result" : " results") +
        (of.state === "known" && of.over === "model" ? " by a model of them" : "") + (of.failed ? ", without " + CT.number(of.failed) + " that failed" : "") +
        ". Filters do not change it." + (shown ? " Click a bar to see the parameter's values." : "") +
        (shown < of.parameters.length && shown ? " The chart has the first " + shown + " parameters of " + of.parameters.length + "." : "");
    CT.id("importance").style.height = shown ? 90 + 30 * shown + "px" : "";
    showInteractions(of);
    showTable(of);
};
