# SPDX-License-Identifier: Apache-2.0
"""What a real browser makes of reports: report_checks.py FOLDER, with report.html and hostile.html.

Prints "ok NAME" or "bad NAME" for each check, and "end" after the last.
"""
import json
import pathlib
import sys
import time

from browser import Browser

folder = pathlib.Path(sys.argv[1])
CHARTS = ["convergence", "distribution", "importance", "parallel", "heat", "roofline", "sizes"]


def check(name, holds, why=""):
    print("ok" if holds else "bad", name, flush=True)
    if not holds:
        print("#", why, flush=True)


def selected(browser):
    return browser.script("return document.getElementById('selected').textContent")


def is_drawn(browser, chart):
    """Whether the chart has shapes, or its canvas more than one colour."""
    return browser.script("""
        if (document.querySelectorAll("#" + arguments[0] + " svg path").length > 8) return true;
        const canvas = document.querySelector("#" + arguments[0] + " canvas");
        if (!canvas || !canvas.width) return false;
        const data = new Uint32Array(canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data.buffer);
        return new Set(data).size > 8;""", chart)


def check_page(browser):
    browser.open(folder / "report.html")
    subjects = browser.script("return Array.from(document.querySelectorAll('#subject option'), o => o.textContent)")
    check("every kernel, device and problem can be chosen", len(subjects) == 3, subjects)
    browser.script("""const select = document.getElementById("subject");
        select.value = arguments[0]; select.dispatchEvent(new Event("change"));""",
                   next(i for i, text in enumerate(subjects) if text.startswith("vcopy")))
    browser.wait("return CT.subject.kernel === 'vcopy'")
    time.sleep(0.3)
    for chart in CHARTS:
        check("chart %s is drawn" % chart, is_drawn(browser, chart))
    boxes = browser.script("return document.querySelectorAll('#boxes canvas').length")
    check("each parameter has a box plot", boxes == 2, boxes)
    check("the ceilings are in the roofline", "12.5 GB/s and 40 GFLOP/s" in
          browser.script("return document.getElementById('roofline-note').textContent"))
    rows = browser.script("return document.querySelectorAll('#best tr').length")
    check("the best are in a table", rows > 3, rows)


def check_importance(browser):
    """The panel says what 'cltune show --importance' says."""
    truth = json.loads((folder / "importance.json").read_text())
    sentences = browser.script("return Array.from(document.querySelectorAll('#insight li'), e => e.textContent)")
    check("the sentences about parameters are those of show", sentences == truth["text"], (sentences, truth["text"]))
    names, alone = browser.script("""const option = echarts.getInstanceByDom(document.getElementById("importance")).getOption();
        return [option.yAxis[0].data, option.series[0].data]""")
    check("each parameter has a bar, the most important first", names == [p["name"] for p in truth["parameters"]], names)
    check("as long as its share", all(abs(a - 100 * p["main"]) < 1e-6 for a, p in zip(alone, truth["parameters"])), alone)
    rows = browser.script("return document.querySelectorAll('#importance-table tr').length")
    check("and a row of the table", rows == 1 + len(names), rows)
    browser.script("""CT.id("heat-x").value = CT.id("heat-y").value = "0";
        document.querySelector("#interactions button").focus()""")
    browser.press("\ue007")
    check("Enter on a pair shows its heat map", browser.script("""return [CT.id("heat-x"), CT.id("heat-y")]
        .map(e => e.selectedOptions[0].textContent)""") == truth["interactions"][0]["parameters"])
    check("and moves the keyboard there", browser.script("return document.activeElement.id") == "heat-x")
    browser.script("scrollTo({ top: 0, behavior: 'instant' })")
    x, y = browser.script("""const e = CT.id("importance"); e.scrollIntoView({ block: "center", behavior: "instant" });
        const at = echarts.getInstanceByDom(e).convertToPixel({ seriesIndex: 0 }, [1, 0]), box = e.getBoundingClientRect();
        return [box.left + at[0], box.top + at[1]]""")
    before = browser.script("return scrollY")
    browser.click(x, y)
    check("a click on a bar goes to the parameter's values", browser.wait("return scrollY > %d" % before))


def check_unanalysed(browser):
    browser.open(folder / "many.html")
    browser.script("CT.choose(CT.data.subjects.findIndex(s => s.importance === null)); CT.drawNow()")
    text = browser.script("return CT.id('importance').textContent")
    check("a subject without an analysis names the command", "--importance" in text, text)


def check_filters(browser):
    everything = selected(browser)
    check("all results are selected first", everything.startswith("All "), everything)
    browser.click(*box_place(browser, 0))
    browser.wait("return CT.isFiltered()")
    text = selected(browser)
    check("a click on a box filters", " of " in text, text)
    values = browser.script("""const codes = [...CT.filter.params.get(0)];
        const p = CT.subject.params[0]; return [codes.length, p.codes.filter(c => codes.includes(c)).length]""")
    check("by the value of its parameter", values[0] == 1 and text.startswith("%d of" % values[1]), (values, text))
    table = browser.script("return document.querySelectorAll('#best tr').length - 1")
    check("the table follows", table <= values[1], table)
    browser.script("document.querySelector('.chip').focus()")
    browser.press("\ue007")
    check("Enter on its chip ends it", browser.wait("return !CT.isFiltered()"))
    browser.script("document.getElementById('values').open = true; document.querySelector('#value-buttons button').focus()")
    browser.press(" ")
    check("the space bar on a value filters", browser.wait("return CT.isFiltered()"))
    browser.script("document.getElementById('clear').click()")
    browser.script("document.getElementById('values').open = false")
    brush(browser)


def box_place(browser, parameter):
    """In the middle of the first box of a parameter that has one."""
    return browser.script("""
        const element = document.getElementById("box-" + arguments[0]);
        element.scrollIntoView({ block: "center", behavior: "instant" });
        const chart = echarts.getInstanceByDom(element), box = element.getBoundingClientRect();
        const data = chart.getOption().series[0].data, index = data.findIndex(d => d[0] !== "-");
        const at = chart.convertToPixel({ seriesIndex: 0 }, [index, (data[index][1] + data[index][3]) / 2]);
        const edge = chart.convertToPixel({ seriesIndex: 0 }, [index, data[index][3]]);
        return [box.left + at[0], box.top + (Math.abs(at[1] - edge[1]) > 1 ? at[1] : edge[1])];""", parameter)


def brush(browser):
    """Drags along the lower half of the first axis of the parallel coordinates."""
    time.sleep(0.2)
    x, top, bottom = browser.script("""
        const element = document.getElementById("parallel");
        element.scrollIntoView({ block: "center", behavior: "instant" });
        const box = element.getBoundingClientRect();
        return [box.left + 50, box.top + 46, box.bottom - 26];""")
    browser.drag(x, bottom - 3, x, (top + bottom) / 2)
    check("a brush on an axis filters", browser.wait("return CT.isFiltered()"), selected(browser))
    time.sleep(0.2)
    check("and stays", browser.script("return CT.brushes.size") == 1)
    browser.script("CT.clear()")
    check("until the filter is cleared", browser.script("return CT.brushes.size") == 0)


def check_theme(browser):
    back = "return getComputedStyle(document.body).backgroundColor"
    light = browser.script(back)
    browser.script("const b = document.getElementById('theme'); b.click(); b.click()")
    check("a button makes it dark", browser.script(back) != light and browser.script("return CT.isDark()"))
    browser.paper(folder / "paper.pdf")
    check("it prints", (folder / "paper.pdf").read_bytes()[:5] == b"%PDF-")
    check("and is dark again", browser.wait("return CT.isDark()"))
    check("no page scrolls sideways",
          browser.script("return document.documentElement.scrollWidth <= innerWidth"))


def check_devices(browser):
    """The subject of two.html is a kernel of two devices, of two problems on one of them."""
    browser.open(folder / "two.html")
    browser.script("""CT.choose(CT.data.subjects.findIndex(s => s.device.startsWith("VideoCore") && s.problem.n === 1024));
        CT.drawNow();""")
    bars, lines = browser.script("""const option = name => CT.charts.get(name).instance.getOption();
        return [option("devices").series[0].data.map((bar, i) => [option("devices").yAxis[0].data[i], bar.itemStyle.color]),
            option("sizes").series.map((line, i) => [line.name, option("sizes").color[i]])]""")
    check("a device has one colour", len(bars) == 2 and sorted(bars) == sorted(lines), (bars, lines))
    labels = browser.script("return CT.charts.get('roofline').instance.getOption().series[0].markPoint.data.map(p => p.label.formatter)")
    check("ceilings are named where they are", labels == ["12.5 GB/s", "40 GFLOP/s"], labels)


def check_hostile(browser):
    browser.open(folder / "hostile.html")
    count = browser.script("return document.querySelectorAll('#subject option').length")
    for index in range(count):
        browser.script("CT.choose(arguments[0]); CT.drawNow(); CT.setValues(0, new Set([0])); CT.drawNow()", index)
        browser.script("""for (const chart of CT.charts.values())
            if (chart.instance) chart.instance.dispatchAction({ type: "showTip", seriesIndex: 0, dataIndex: 0 })""")
    time.sleep(0.2)
    check("hostile names run nothing", browser.script("return window.pwned === undefined"))
    check("and make no elements", browser.script("return document.querySelectorAll('img, b:not(.tile b), i').length") == 0)
    check("but are shown", "<script>window.pwned=1</script>" in browser.script("return document.body.innerText"))


def main():
    with Browser(folder) as browser:
        browser.script("return 1")
        browser.requests()
        check_page(browser)
        check_importance(browser)
        check_filters(browser)
        check_theme(browser)
        check_devices(browser)
        check_hostile(browser)
        check_unanalysed(browser)
        errors = browser.console()
        check("the console has no errors", not errors, errors)
        asked = [url for url in browser.requests() if not url.startswith(("data:", "chrome:", "file://%s/" % folder))]
        check("nothing is asked of a network", not asked, asked)
    print("end")


main()
