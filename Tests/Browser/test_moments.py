"""Time travel: the scrubber, pages as of a change, and two runs side by side."""

import re

import pytest
from playwright.sync_api import expect

# What a page shows of a moment: not the scrubber, and not the words that the client keeps fresh by itself.
SHOWN = """() => {
    const run = document.querySelector("section.run").cloneNode(true);
    for (const time of run.querySelectorAll("time[data-relative], time[data-since]")) { time.textContent = ""; time.removeAttribute("title"); }
    // Once the module that folds JSON has come, the attribute that asks for it has gone.
    for (const json of run.querySelectorAll("[data-json]")) json.removeAttribute("data-json");
    return run.outerHTML;
}"""


@pytest.fixture
def ended(weir, sky):
    return weir.ended(weir.run("http-request", url=f"{sky.url}/hello?label=there", attempts=1))


def changes(weir, run):
    return [change["sequence"] for change in weir.ask(f"feeds/run-{run['id']}/changes")["changes"]]


def listened_to(page):
    """Returns when what listens to the scrubber and to its keys is there, which is loaded after the page."""
    page.wait_for_load_state("networkidle")
    return page


def looked_back(page):
    """Opens the part of the page with the scrubber."""
    if page.locator("#past").get_attribute("open") is None:
        page.locator("#past > summary").click()
    return page


def at(number):
    return re.compile(rf"\?at={number}$")


@pytest.mark.long
def test_buttons_and_keys_go_through_every_moment_and_the_address_follows(visit, weir, ended):
    moments = changes(weir, ended)
    page = visit(f"/runs/{ended['id']}")
    expect(page.locator("#live")).to_have_attribute("data-state", re.compile("live|ended"))
    looked_back(page).get_by_role("link", name="Previous moment").click()
    expect(page).to_have_url(at(moments[-2]))
    expect(page.locator("#live")).to_have_text(re.compile("Paused at change"))
    for moment in reversed(moments[:-2]):
        page.get_by_role("link", name="Previous moment").click()
        expect(page).to_have_url(at(moment))
        expect(page.locator("#page")).to_have_attribute("data-paused", str(moment))
    expect(page.get_by_role("link", name="Previous moment")).to_have_attribute("aria-disabled", "true")
    expect(page.locator("#scrub-standing")).to_contain_text(f"step 1 of {len(moments)}")
    listened_to(page)
    for moment in moments[1:3]:
        page.keyboard.press("ArrowRight")
        expect(page).to_have_url(at(moment))
    page.keyboard.press("ArrowLeft")
    expect(page).to_have_url(at(moments[1]))
    page.locator("#scrub-range").focus()
    page.keyboard.press("End")
    expect(page.locator("#live")).to_have_attribute("data-state", re.compile("live|ended"))
    assert "?" not in page.url


def test_a_page_of_the_past_is_what_was_live_then_and_a_reload_shows_the_same(visit, weir, ended):
    page = visit(f"/runs/{ended['id']}")
    live = page.evaluate(SHOWN)
    moments = changes(weir, ended)
    page.goto(f"/runs/{ended['id']}?at={moments[-1]}")
    assert page.evaluate(SHOWN) == live
    seen = {}
    for moment in moments:
        page.goto(f"/runs/{ended['id']}?at={moment}")
        seen[moment] = page.evaluate(SHOWN)
    assert len(set(seen.values())) == len(moments)
    listened_to(page)
    for moment in reversed(moments[:-1]):
        page.keyboard.press("ArrowLeft")
        expect(page).to_have_url(at(moment))
        expect(page.locator("#page")).to_have_attribute("data-paused", str(moment))
        assert page.evaluate(SHOWN) == seen[moment]
    page.reload()
    assert page.evaluate(SHOWN) == seen[moments[0]]


@pytest.mark.long
def test_every_moment_of_a_run_that_is_watched_stands_in_its_past(visit, weir, sky):
    """What the page painted live, change by change, is compared with the page as of that change."""
    page = visit("/operations/http-request")
    page.evaluate(
        """(shown) => {
            window.seen = {};
            // The next change may have been painted before the browser says that it has painted this one.
            const shows = document.getElementById("page").dataset;
            document.addEventListener("weir:painted", () => { window.seen[shows.sequence] = eval(shown)(); });
        }""".replace("eval(shown)()", "(" + SHOWN + ")()"),
        None,
    )
    run = weir.ended(weir.run("http-request", url="http://127.0.0.1:9/", attempts=3))
    last = changes(weir, run)[-1]
    page.wait_for_function("(last) => window.seen[last]", arg=last)
    seen = page.evaluate("window.seen")
    compared = 0
    for moment, live in seen.items():
        if run["id"] not in live:
            continue
        page.goto(f"/operations/http-request?at={moment}")
        past = page.evaluate(SHOWN)
        # A patch puts an element in its place without the line breaks around it.
        strip = lambda html: re.sub(
            r' (viewBox="0 0 \d+ 10"|width="\d+"|disabled="")|(?<=>)\s+(?=<)', "", html)
        assert strip(past) == strip(live), moment
        compared += 1
    assert compared >= 3


def drag(page, slider, places):
    """Holds the slider and moves it through places between 0 and 1; it is still held afterwards."""
    box = slider.bounding_box()
    page.mouse.move(box["x"] + box["width"] - 12, box["y"] + box["height"] / 2)
    page.mouse.down()
    for place in places:
        page.mouse.move(box["x"] + 4 + (box["width"] - 8) * place, box["y"] + box["height"] / 2, steps=4)


def test_a_live_page_shows_the_past_while_the_slider_is_dragged_and_the_address_follows_on_release(visit, weir, ended):
    moments = changes(weir, ended)
    page = visit(f"/runs/{ended['id']}")
    expect(page.locator("#live")).to_have_attribute("data-state", re.compile("live|ended"))
    listened_to(looked_back(page)).evaluate("window.same = true")
    slider = page.get_by_role("slider", name="Moment")
    drag(page, slider, [0.5, 0])
    expect(page.locator("#page")).to_have_attribute("data-paused", str(moments[0]))
    expect(page.locator("#scrub-standing")).to_contain_text(f"step 1 of {len(moments)}")
    expect(page.locator("#live")).to_have_text(re.compile("Paused at change"))
    assert "?" not in page.url, "while it is held, the address stays"
    page.mouse.up()
    expect(page).to_have_url(re.compile(rf"\?at={moments[0]}$"))
    expect(slider).to_be_focused()
    slider.press("ArrowRight")
    expect(page).to_have_url(at(moments[1]))
    expect(slider).to_be_focused()
    assert page.evaluate("window.same") is True, "no page was loaded"
    page.go_back()
    expect(page.locator("#live")).to_have_attribute("data-state", re.compile("live|ended"))
    expect(page).to_have_url(f"{weir.url}/runs/{ended['id']}")


@pytest.mark.long
def test_a_page_that_was_left_for_the_past_is_not_followed_any_more(visit, weir):
    ended = weir.ended(weir.run("http-request", url="http://127.0.0.1:9/", attempts=1))
    page = visit("/operations/http-request")
    looked_back(page).get_by_role("link", name="First moment").click()
    expect(page).to_have_url(at(changes(weir, ended)[0]))
    shown = page.evaluate(SHOWN)
    second = weir.ended(weir.run("http-request", url="http://127.0.0.1:9/", attempts=1))
    page.get_by_role("link", name="Next moment").click()
    page.get_by_role("link", name="Previous moment").click()
    expect(page).to_have_url(at(changes(weir, ended)[0]))
    assert page.evaluate(SHOWN) == shown
    page.get_by_role("link", name="Back to live").click()
    expect(page.locator("section.run")).to_have_attribute("id", f"run-{second['id']}")


@pytest.mark.long
def test_the_slider_goes_by_step_or_by_time_and_the_browser_keeps_the_choice(visit, weir, ended):
    page = visit(f"/runs/{ended['id']}")
    states = weir.cases(ended)
    expect(page.locator(".by-step .scale li")).to_have_count(len(states))
    listened_to(looked_back(page)).get_by_label("By time").check()
    expect(page.locator("#scrub-range")).to_be_hidden()
    expect(page.locator("#scrub-time-range")).to_be_visible()
    page.reload()
    looked_back(page)
    expect(page.locator("#scrub-time-range")).to_be_visible()
    drag(page, page.locator("#scrub-time-range"), [0])
    page.mouse.up()
    expect(page).to_have_url(re.compile(r"\?at=\d+&by=time$"))
    page.get_by_label("By step").check()
    expect(page.locator("#scrub-range")).to_be_visible()
    page.get_by_role("link", name="Next moment").click()
    expect(page.locator("#scrub-range")).to_be_visible()


@pytest.mark.long
def test_play_goes_through_every_moment_to_the_end(visit, weir, ended):
    moments = changes(weir, ended)
    page = visit(f"/runs/{ended['id']}")
    page.evaluate("""() => {
        window.passed = [];
        const main = document.getElementById("page");
        new MutationObserver(() => { if (main.dataset.paused) window.passed.push(Number(main.dataset.paused)); })
            .observe(main, { attributes: true, attributeFilter: ["data-paused"] });
    }""")
    looked_back(page).get_by_label("Speed").select_option("100")
    play = listened_to(page).get_by_role("button", name="Play")
    play.click()
    expect(page).to_have_url(at(moments[-1]))
    expect(play).to_have_attribute("aria-pressed", "false")
    expect(play).to_be_focused()
    assert page.evaluate("window.passed") == moments


@pytest.mark.long
def test_the_link_to_a_moment_is_copied(visit, weir, ended):
    moments = changes(weir, ended)
    page = visit(f"/runs/{ended['id']}?at={moments[1]}", permissions=["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Copy link to this moment").click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == f"{weir.url}/runs/{ended['id']}?at={moments[1]}"


def test_two_moments_are_compared_without_javascript(visit, weir, ended):
    moments = changes(weir, ended)
    page = visit(f"/runs/{ended['id']}?at={moments[0]}", java_script_enabled=False)
    page.get_by_role("link", name="Compare with now").click()
    expect(page.get_by_role("heading", name="Two moments compared")).to_be_visible()
    expect(page.get_by_role("columnheader", name="B")).to_be_visible()
    page.get_by_label("A", exact=True).select_option(str(moments[-1]))
    page.get_by_role("button", name="Compare").click()
    expect(page.get_by_text("Nothing differs.")).to_be_visible()


@pytest.mark.long
def test_nothing_can_be_done_in_the_past(visit, weir, ended):
    page = visit(f"/runs/{ended['id']}")
    expect(page.get_by_role("button", name="Start again")).to_be_enabled()
    page.goto(f"/runs/{ended['id']}?at={changes(weir, ended)[-1]}")
    expect(page.get_by_role("button", name="Start again")).to_be_disabled()
    page.goto(f"/operations/http-request?at={changes(weir, ended)[-1]}")
    expect(page.locator("#start button[type=submit]")).to_be_disabled()


def test_without_javascript_links_and_a_form_go_through_the_moments(visit, weir, ended):
    moments = changes(weir, ended)
    page = visit(f"/runs/{ended['id']}", java_script_enabled=False)
    looked_back(page).get_by_role("link", name="Previous moment").click()
    expect(page).to_have_url(at(moments[-2]))
    page.get_by_role("link", name="First moment").click()
    expect(page).to_have_url(at(moments[0]))
    page.get_by_role("link", name="Next moment").click()
    expect(page).to_have_url(at(moments[1]))
    page.locator("#scrub-range").focus()
    page.keyboard.press("End")
    page.get_by_role("button", name="Go to this moment").click()
    expect(page).to_have_url(at(moments[-1]))
    page.get_by_role("link", name="Back to live").click()
    expect(page).to_have_url(f"{weir.url}/runs/{ended['id']}")


@pytest.mark.long
def test_an_operation_is_gone_through_over_its_runs(visit, weir, ended):
    second = weir.ended(weir.run("http-request", url="http://127.0.0.1:9/", attempts=1))
    page = visit(f"/operations/http-request?at={changes(weir, second)[0]}")
    expect(page.locator("section.run")).to_have_attribute("id", f"run-{second['id']}")
    listened_to(page)
    page.keyboard.press("ArrowLeft")
    expect(page.locator("section.run")).to_have_attribute("id", f"run-{ended['id']}")
    expect(page.locator("section.run > header .chip")).to_have_text("Success")


def test_two_runs_are_chosen_and_compared(visit, weir, ended):
    failed = weir.ended(weir.run("http-request", url="http://127.0.0.1:9/", attempts=1))
    page = visit("/operations/http-request", java_script_enabled=False)
    page.get_by_role("button", name="Compare").click()
    expect(page).to_have_url(re.compile(rf"compare\?a={ended['id']}&b={failed['id']}"))
    expect(page.get_by_text("The runs diverge here")).to_be_visible()
    expect(page.locator("main")).to_contain_text("The runs diverge at step")
    expect(page.get_by_role("rowheader", name="URL")).to_be_visible()
    page.goto(f"/runs/{failed['id']}")
    page.locator("#more > summary").click()
    page.get_by_role("link", name="Compare with the last success").click()
    expect(page).to_have_url(re.compile(rf"compare\?a={ended['id']}&b={failed['id']}"))


@pytest.mark.parametrize("width", [390, 1280])
def test_the_scrubber_stays_under_the_pointer_while_the_page_above_it_changes(visit, weir, ended, width):
    page = visit(f"/runs/{ended['id']}", viewport={"width": width, "height": 700})
    listened_to(looked_back(page))
    page.keyboard.press("ArrowLeft")
    expect(page.locator("#page")).to_have_attribute("data-paused", re.compile(r"\d"))
    place = page.locator("#scrub-range").bounding_box()["y"]
    heights = set()
    for _ in changes(weir, ended)[2:]:
        before = page.url
        page.keyboard.press("ArrowLeft")
        page.wait_for_url(lambda url: url != before)
        heights.add(page.locator("section.run").bounding_box()["height"])
        assert abs(page.locator("#scrub-range").bounding_box()["y"] - place) < 1.5
    assert len(heights) > 1, "the page never changed its height"


def test_an_arrow_key_looks_back_on_a_page_whose_past_is_folded(visit, weir, ended):
    page = visit(f"/runs/{ended['id']}")
    expect(page.locator("#scrub")).to_be_hidden()
    page.wait_for_load_state("networkidle")
    page.keyboard.press("ArrowLeft")
    expect(page).to_have_url(at(changes(weir, ended)[-2]))
    expect(page.locator("#scrub")).to_be_visible()
