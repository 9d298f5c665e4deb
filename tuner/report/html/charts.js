// SPDX-License-Identifier: Apache-2.0
// Charts: their colours, tooltips, and when they are drawn.
"use strict";

/* An element with text and children: never HTML, since names come from strangers. */
CT.element = (tag, attributes, ...children) => {
    const element = document.createElement(tag);
    for (const name of Object.keys(attributes || {})) element.setAttribute(name, attributes[name]);
    for (const child of children) element.append(child);
    return element;
};

CT.id = id => document.getElementById(id);

CT.colours = () => {
    const style = getComputedStyle(document.documentElement), out = {};
    for (const name of ["back", "panel", "text", "soft", "line", "accent", "best", "other", "cold", "warm", "bad"])
        out[name] = style.getPropertyValue("--" + name).trim();
    return out;
};

CT.palette = dark => dark
    ? ["#6cb2ff", "#ffa25c", "#7ddc9a", "#e39cf0", "#f2d65c", "#7fe0e6", "#ff8a80", "#b9c2cf"]
    : ["#0b62b8", "#b3440c", "#1b7f3b", "#8a2f9c", "#8a6d00", "#0f7b82", "#b3261e", "#55606e"];

CT.charts = new Map();

/* Registers a chart: `option` returns ECharts' option, or a text that says why there is none. */
CT.addChart = (element, option, click, after) => {
    CT.charts.set(element.id, { element, option, click, after, instance: null });
};

CT.removeCharts = prefix => {
    for (const [id, chart] of CT.charts) {
        if (!id.startsWith(prefix)) continue;
        if (chart.instance) chart.instance.dispose();
        CT.charts.delete(id);
    }
};

CT.tooltip = (c, formatter, extra) => Object.assign({
    confine: true, backgroundColor: c.panel, borderColor: c.line,
    textStyle: { color: c.text, fontSize: 12 },
    formatter: parameters => {
        const lines = formatter(parameters), box = CT.element("div", { class: "tip" });
        lines.forEach(line => box.append(CT.element("div", {}, line)));
        return box;
    },
}, extra);

/* Axes without room for long names cut them. */
CT.axis = (c, more) => Object.assign({
    nameLocation: "middle", nameGap: 28, nameTextStyle: { color: c.soft, fontSize: 12 },
    axisLabel: { color: c.soft, fontSize: 11, hideOverlap: true },
    axisLine: { show: true, lineStyle: { color: c.line } },
    splitLine: { lineStyle: { color: c.line, opacity: 0.5 } },
}, more);

CT.short = (text, length) => text.length > length ? text.slice(0, length - 1) + "…" : text;

/* A value axis; logarithmic where values differ by more than a factor of ten.  Round bounds of a
   logarithmic axis would be powers of ten and leave most of it empty. */
CT.valueAxis = (c, low, high, name, more) => {
    const log = low > 0 && high / low > 10, axis = CT.axis(c, Object.assign({ type: log ? "log" : "value", name, nameGap: 44 }, more));
    axis.axisLabel = Object.assign({}, axis.axisLabel, { formatter: value => CT.number(value) });
    axis.scale = true;
    if (log) {
        /* They are no round numbers. */
        Object.assign(axis.axisLabel, { showMinLabel: false, showMaxLabel: false });
        axis.min = Number((low / 1.15).toPrecision(2));
        axis.max = Number((high * 1.15).toPrecision(2));
        axis.logBase = axis.logBase || (high / low > 100 ? 10 : 2);
        axis.minorSplitLine = { show: false };
    }
    return axis;
};

CT.drawChart = chart => {
    const made = chart.option(CT.colours()), element = chart.element;
    if (typeof made === "string") {
        if (chart.instance) chart.instance.dispose();
        chart.instance = null;
        element.classList.add("empty");
        element.textContent = made;
        return;
    }
    const renderer = made.renderer || "canvas";
    if (chart.instance && chart.renderer !== renderer) {
        chart.instance.dispose();
        chart.instance = null;
    }
    delete made.renderer;
    if (!chart.instance) {
        element.classList.remove("empty");
        element.textContent = "";
        chart.renderer = renderer;
        chart.instance = echarts.init(element, null, { renderer });
        if (chart.click) chart.click(chart.instance);
    }
    made.animation = false;
    made.aria = { enabled: true };
    made.backgroundColor = "transparent";
    chart.instance.setOption(made, { notMerge: true });
    if (chart.after) chart.after(chart.instance);
};

/* Draws all charts, a few in each frame, so that the page answers meanwhile. */
CT.drawing = 0;
CT.drawAll = done => {
    const turn = ++CT.drawing, queue = Array.from(CT.charts.values());
    const step = () => {
        const until = performance.now() + 25;
        if (turn !== CT.drawing) return;
        while (queue.length && performance.now() < until) CT.drawChart(queue.shift());
        if (queue.length) setTimeout(step, 0);
        else if (done) done();
    };
    step();
};

CT.drawNow = () => { CT.drawing++; for (const chart of CT.charts.values()) CT.drawChart(chart); };

CT.resizeAll = () => {
    for (const chart of CT.charts.values()) if (chart.instance) chart.instance.resize();
};

/* --- light and dark --- */

const themes = ["system", "light", "dark"];
const systemDark = matchMedia("(prefers-color-scheme: dark)");
CT.theme = "system";
CT.isDark = () => document.documentElement.dataset.theme === "dark";
CT.applyTheme = printing => {
    const dark = !printing && (CT.theme === "dark" || (CT.theme === "system" && systemDark.matches));
    document.documentElement.dataset.theme = dark ? "dark" : "light";
    CT.id("theme").textContent = "Colours: " + CT.theme;
    CT.id("theme").setAttribute("aria-label", "Colours: " + CT.theme + ". Press to change");
};

CT.startTheme = () => {
    CT.applyTheme(false);
    CT.id("theme").addEventListener("click", () => {
        CT.theme = themes[(themes.indexOf(CT.theme) + 1) % themes.length];
        CT.applyTheme(false);
        CT.drawAll();
    });
    systemDark.addEventListener("change", () => { CT.applyTheme(false); CT.drawAll(); });
    CT.id("print").addEventListener("click", () => print());
    /* Paper is white and has another width. */
    const toPaper = on => {
        CT.applyTheme(on);
        document.querySelector("main").style.width = on ? "680px" : "";
        for (const chart of CT.charts.values()) {
            if (chart.instance) chart.instance.dispose();
            chart.instance = null;
        }
        CT.drawNow();
    };
    addEventListener("beforeprint", () => toPaper(true));
    addEventListener("afterprint", () => toPaper(false));
    let timer = 0;
    addEventListener("resize", () => { clearTimeout(timer); timer = setTimeout(() => { CT.resizeAll(); CT.drawAll(); }, 100); });
};
