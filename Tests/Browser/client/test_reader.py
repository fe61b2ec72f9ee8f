"""What belongs to the reader stays while the page changes."""

import threading

import pytest
from client_page import STATE, at, open_page
from playwright.sync_api import expect


FORM = """
<form id="start" data-action="start" method="post" action="/start">
  <label>Label <input id="start-label" name="label" value=""/></label>
  <label>Note <textarea id="start-note" name="note"></textarea></label>
  <label>Size <select id="start-size" name="size"><option value="1" selected="selected">one</option><option value="2">two</option></select></label>
  <label><input type="checkbox" id="start-quick" name="quick"/> Quick</label>
  <button class="tick{0}">Start</button>
</form>
<details id="more"><summary>More</summary><p>tick {0}</p></details>
<div id="box" class="tick{0}"><p>first line</p><p>second {0}</p><p>third</p><p>fourth</p></div>
<p id="text">A text whose number is {0} and whose end stays.</p>
<p id="free" class="tick{0}" contenteditable="true">free</p>
<div id="pop" popover="auto" class="tick{0}">popped {0}</div><button popovertarget="pop">Pop</button>
<ol id="log">{1}</ol>
"""


def tick(number):
    rows = "".join(f'<li id="log-{row}">row {row}</li>' for row in range(number, max(0, number - 20), -1))
    return f'<section id="all">{FORM.format(number, rows)}</section>'


def test_typing_dirty_fields_details_scroll_and_selection_survive_a_thousand_patches(page, server):
    server.feed.body = tick(0)
    open_page(page, server)
    page.evaluate(
        """() => {
            const box = document.getElementById("box");
            const sheet = new CSSStyleSheet();
            sheet.replaceSync("#box { height: 40px; overflow: auto }");
            document.adoptedStyleSheets = [sheet];
            box.scrollTop = 30;
            window.nodes = Object.fromEntries([...document.querySelectorAll("[id]")].map((element) => [element.id, element]));
        }"""
    )
    page.fill("#start-note", "half a thought")
    page.select_option("#start-size", "2")
    page.check("#start-quick")
    page.click("#more summary")
    page.click("button[popovertarget]")
    page.evaluate(
        """() => {
            const text = document.getElementById("text").firstChild;
            const field = document.getElementById("start-label");
            field.focus();
            document.getSelection().setBaseAndExtent(text, 2, text, 6);
            field.focus({ preventScroll: true });
        }"""
    )
    page.click("#start-label")
    writer = threading.Thread(
        target=lambda: [server.publish([["m", "all", tick(number)]], tick(number)) for number in range(1, 1_001)]
    )
    writer.start()
    page.keyboard.type("typed while everything moves", delay=10)
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    writer.join()
    at(page, 1_000, 30)
    page.keyboard.type("!")
    state = page.evaluate(
        """() => {
            const get = (id) => document.getElementById(id);
            return {
                label: get("start-label").value, note: get("start-note").value, size: get("start-size").value,
                quick: get("start-quick").checked, open: get("more").open, scroll: get("box").scrollTop,
                focus: document.activeElement.id, caret: get("start-label").selectionStart, pop: get("pop").matches(":popover-open"),
                moved: Object.keys(window.nodes).filter((id) => get(id) && get(id) !== window.nodes[id]),
                button: document.querySelector("#start button").className, text: get("text").textContent,
                painted: window.painted.length,
            };
        }"""
    )
    assert state == {
        "label": "typed while everything mov!es", "note": "half a thought", "size": "2",
        "quick": True, "open": True, "scroll": 30, "focus": "start-label", "caret": 27, "pop": state["pop"], "moved": [],
        "button": "tick1000", "text": "A text whose number is 1000 and whose end stays.", "painted": 1_000,
    }


def test_an_open_popover_and_an_open_dialog_stay_open(page, server):
    def content(number):
        return f'<div id="all"><div id="pop" popover="auto" class="t{number}">{number}</div><button popovertarget="pop">Pop</button></div>'

    server.feed.body = content(0)
    server.extra = '<dialog id="keys"><p>Keys</p></dialog>'
    open_page(page, server)
    page.click("button")
    server.publish([["m", "all", content(1)]])
    at(page, 1)
    assert page.evaluate("document.getElementById('pop').matches(':popover-open')")
    assert page.inner_text("#pop") == "1"
    page.keyboard.press("Escape")
    page.keyboard.press("?")
    server.publish([["m", "all", content(2)]])
    at(page, 2)
    assert page.evaluate("document.getElementById('keys').open")


def test_a_selection_stays_on_its_words_while_other_words_change(page, server):
    server.feed.body = '<p id="text">Sent 1 of 100 parts</p>'
    open_page(page, server)
    page.evaluate(
        """() => {
            const text = document.getElementById("text").firstChild;
            document.getSelection().setBaseAndExtent(text, 14, text, 19);
        }"""
    )
    for number in (2, 50, 100):
        server.publish([["m", "text", f'<p id="text">Sent {number} of 100 parts</p>']])
    at(page, 3)
    assert page.evaluate("String(document.getSelection())") == "parts"
    server.publish([["t", "text", "Sent 7 of 100 parts"]])
    at(page, 4)
    assert page.evaluate("String(document.getSelection())") == "parts"
    page.evaluate("document.getSelection().setBaseAndExtent(document.getElementById('text').firstChild, 0, document.getElementById('text').firstChild, 4)")
    server.publish([["t", "text", "Sent 8 of 100 parts"]])
    at(page, 5)
    assert page.evaluate("String(document.getSelection())") == "Sent"


def test_what_an_input_method_composes_is_not_disturbed(page, context, server):
    server.feed.body = tick(0)
    open_page(page, server)
    page.click("#start-label")
    keyboard = context.new_cdp_session(page)
    keyboard.send("Input.imeSetComposition", {"text": "に", "selectionStart": 1, "selectionEnd": 1})
    page.evaluate(
        """() => {
            window.ended = 0;
            document.addEventListener("compositionend", () => { window.ended += 1; });
        }"""
    )
    for number in range(1, 31):
        server.publish([["m", "all", tick(number)]])
    at(page, 30)
    assert page.evaluate("window.ended") == 0
    keyboard.send("Input.imeSetComposition", {"text": "にほん", "selectionStart": 3, "selectionEnd": 3})
    keyboard.send("Input.insertText", {"text": "日本"})
    assert page.input_value("#start-label") == "日本"
    assert page.evaluate("window.ended") == 1


def test_an_untouched_field_follows_the_server_and_a_touched_one_does_not(page, server):
    def content(value, checked, chosen):
        options = "".join(f'<option value="{o}"{" selected" if o == chosen else ""}>{o}</option>' for o in "abc")
        box = f'<input type="checkbox" id="c"{" checked" if checked else ""}/>'
        return f'<div id="all"><input id="i" value="{value}"/><textarea id="t">{value}</textarea>{box}<select id="s">{options}</select></div>'

    read = "['i', 't', 'c', 's'].map((id) => { const e = document.getElementById(id); return e.type === 'checkbox' ? e.checked : e.value; })"
    server.feed.body = content("one", False, "a")
    open_page(page, server)
    server.publish([["m", "all", content("two", True, "b")]])
    at(page, 1)
    assert page.evaluate(read) == ["two", "two", True, "b"]
    page.fill("#i", "mine")
    page.fill("#t", "mine")
    page.uncheck("#c")
    page.select_option("#s", "c")
    page.evaluate("document.activeElement.blur()")
    server.publish([["m", "all", content("three", True, "a")]])
    at(page, 2)
    assert page.evaluate(read) == ["mine", "mine", False, "c"]


def test_a_field_somebody_is_in_stays_until_they_leave_it(page, server):
    server.feed.body = '<p id="all"><input id="i" value="one"/></p>'
    open_page(page, server)
    page.click("#i")
    for number, value in enumerate(("two", "three"), 1):
        server.publish([["m", "all", f'<p id="all"><input id="i" class="{value}" value="{value}"/></p>']])
        at(page, number)
        assert page.get_attribute("#i", "class") == value
        assert page.input_value("#i") == ("one" if number == 1 else "three")
        page.evaluate("document.activeElement.blur()")


def test_prepending_keeps_the_first_visible_row_where_it_is(page, server):
    rows = "".join(f'<li id="row-{row}">row {row}</li>' for row in range(60))
    server.feed.body = f'<ul id="rows">{rows}</ul>'
    open_page(page, server)
    for scroller in ("page", "box"):
        page.evaluate(
            """(scroller) => {
                const sheet = new CSSStyleSheet();
                sheet.replaceSync(scroller === "page" ? "li { height: 40px }" : "li { height: 40px } #rows { height: 300px; overflow: auto }");
                document.adoptedStyleSheets = [sheet];
                (scroller === "page" ? document.scrollingElement : document.getElementById("rows")).scrollTop = 0;
            }""",
            scroller,
        )
        sequence = int(page.get_attribute("#page", "data-sequence"))
        server.publish([["p", "rows", f'<li id="new-{sequence}">new</li>']])
        at(page, sequence + 1)
        assert page.evaluate("(document.getElementById('rows').scrollTop || document.scrollingElement.scrollTop)") == 0
        page.evaluate("document.getElementById('row-20').scrollIntoView({ block: 'start' })")
        top = "document.getElementById('row-21').getBoundingClientRect().top"
        before = page.evaluate(top)
        for number in range(10):
            server.publish([["p", "rows", f'<li id="new-{sequence}-{number}">new</li>']])
        at(page, sequence + 11)
        settled = "() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))"
        page.evaluate(settled)
        assert page.evaluate(top) == before
        assert page.locator("#rows li").first.inner_text() == "new"


def test_appending_twice_appends_once_and_a_limit_keeps_the_newest(page, server):
    server.feed.body = '<ul id="rows" data-limit="3"></ul>'
    open_page(page, server)
    for number in (1, 2, 1, 3, 4):
        server.publish([["a", "rows", f'<li id="row-{number}">{number}</li>']])
    at(page, 5)
    assert page.locator("#rows li").all_inner_texts() == ["2", "3", "4"]


@pytest.mark.parametrize("browser_has", ["moveBefore", "no moveBefore"])
def test_focus_and_caret_survive_that_their_field_moves(page, server, browser_has):
    if browser_has == "no moveBefore":
        page.add_init_script("for (const kind of [Element, Document, DocumentFragment]) delete kind.prototype.moveBefore")
    server.feed.body = '<div id="all"><p><input id="a"/></p><p><input id="b"/></p></div>'
    open_page(page, server)
    page.click("#a")
    page.keyboard.type("xz")
    page.keyboard.press("ArrowLeft")
    server.publish([["m", "all", '<div id="all"><section><p><input id="b"/></p><div><input id="a"/></div></section></div>']])
    at(page, 1)
    page.keyboard.type("y")
    assert page.input_value("#a") == "xyz"


def test_rows_do_not_vanish_while_they_are_read_and_what_is_new_is_counted(page, server):
    rows = "".join(f'<li id="old-{number}">{number}</li>' for number in range(10))
    server.feed.body = f'<ul id="rows" data-limit="10">{rows}</ul>' + STATE.format(0)
    open_page(page, server)
    page.evaluate(
        """() => {
            const sheet = new CSSStyleSheet();
            sheet.replaceSync("#rows li { height: 200px }");
            document.adoptedStyleSheets = [sheet];
            scrollTo(0, 1500);
        }"""
    )
    for number in range(1, 4):
        server.publish([["p", "rows", f'<li id="new-{number}">{number} <a href="#">x</a></li>']])
    at(page, 3)
    assert page.locator("#old-9").count() == 1
    expect(page.locator(".arrivals")).to_have_text("↑ 3 new")
    page.locator(".arrivals").click()
    expect(page.locator(".arrivals")).to_have_count(0)
    expect(page.locator("#new-3 a")).to_be_focused()
    server.publish([["p", "rows", '<li id="new-4">4</li>']])
    at(page, 4)
    expect(page.locator("#rows li")).to_have_count(10)


def test_attributes_are_set_alone_and_what_belongs_to_the_reader_stays(page, server):
    server.feed.body = (
        '<div id="all" class="a" title="old"><p>inside</p><input id="i" value="one"/><input id="j" value="one"/>'
        '<details id="d"><summary>More</summary><p>told</p></details></div>'
    )
    open_page(page, server)
    page.fill("#i", "mine")
    page.click("#d summary")
    server.publish(
        [
            ["s", "all", {"class": "b & c", "title": None}],
            ["s", "i", {"value": "two"}],
            ["s", "j", {"value": "two"}],
            ["s", "d", {"class": "x"}],
            ["s", "nowhere", {"class": "x"}, 1],
        ]
    )
    at(page, 1)
    assert page.evaluate("[document.getElementById('all').className, document.getElementById('all').title]") == ["b & c", ""]
    assert [page.input_value("#i"), page.input_value("#j")] == ["mine", "two"]
    assert page.evaluate("document.getElementById('d').open && document.getElementById('d').className === 'x'")
    expect(page.locator("#all > p")).to_have_text("inside")
    assert server.count("/snap") == 0


def test_what_comes_in_between_is_put_before_its_neighbour_once(page, server):
    server.feed.body = '<ol id="rows"><li id="a">a</li><li id="c">c</li></ol><svg id="drawing"></svg>'
    open_page(page, server)
    for text in ("b", "B"):
        server.publish([["b", "c", f'<li id="b">{text}</li>'], ["a", "drawing", '<rect id="r" width="1"/>']])
    at(page, 2)
    assert page.locator("#rows li").all_inner_texts() == ["a", "B", "c"]
    # A part of a drawing is drawn: it is no unknown element of a document.
    assert page.evaluate("document.querySelectorAll('#drawing > rect').length") == 1
    assert page.evaluate("document.getElementById('r') instanceof SVGRectElement")
