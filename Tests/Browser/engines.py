"""Three browser engines behind one small face: what the tests of the main ways need, and no more."""

import atexit
import glob
import os
import shutil
import subprocess
import tempfile

from weir import until

class Absent(Exception):
    """A browser that this machine does not have, or that it cannot start."""


OPENED = "return document.readyState === 'complete'"


class Engine:
    """A page in a browser; a script is the body of a function whose arguments are `arguments`."""

    def go(self, url):
        self.navigate(url)
        until(lambda: self.run(OPENED))

    def text(self, selector):
        """The words of an element as they are written in the page, without the spaces between lines; "" if there is none."""
        return self.run(
            "return (document.querySelector(arguments[0])?.textContent ?? '').replace(/\\s+/g, ' ').trim()", selector
        )

    def attribute(self, selector, name):
        return self.run("return document.querySelector(arguments[0])?.getAttribute(arguments[1]) ?? null", selector, name)

    def exists(self, selector):
        return self.run("return document.querySelector(arguments[0]) !== null", selector)

    def click(self, selector):
        until(lambda: self.exists(selector))
        self.press(selector)


class Chromium(Engine):
    def __init__(self, browser):
        self.context = browser.new_context(locale="en-GB")
        self.page = self.context.new_page()

    def navigate(self, url):
        self.page.goto(url)

    def run(self, script, *arguments):
        return self.page.evaluate("(given) => (function () { %s }).apply(null, given)" % script, list(arguments))

    def press(self, selector):
        self.page.locator(selector).first.click()

    def fill(self, selector, text):
        self.page.locator(selector).fill(text)

    def choose(self, selector, path):
        self.page.set_input_files(selector, path)

    def close(self):
        self.context.close()


class Firefox(Engine):
    """Firefox by its own protocol: Debian has no geckodriver."""

    def __init__(self):
        from marionette_driver import By, marionette

        self.by = By.CSS_SELECTOR
        binary = shutil.which("firefox-esr") or shutil.which("firefox")
        # A folder, for the driver removes a file that stands in the log's place.
        self.logs = tempfile.TemporaryDirectory()
        # Now and then Firefox starts and never listens, on a machine that does much else: then it is started anew, at another
        # port and with another profile.
        for last in (False, False, True):
            try:
                self.driver = marionette.Marionette(
                    bin=binary, port=0, headless=True, prefs={"intl.accept_languages": "en-GB"}, gecko_log=self.logs.name,
                    startup_timeout=60)
                break
            except OSError as error:
                if last:
                    raise Absent(f"Firefox has not listened for its driver in three starts: {error}") from error
        self.driver.start_session()

    def navigate(self, url):
        self.driver.navigate(url)

    def run(self, script, *arguments):
        return self.driver.execute_script(script, script_args=arguments, sandbox=None, new_sandbox=False)

    def press(self, selector):
        self.driver.find_element(self.by, selector).click()

    def fill(self, selector, text):
        field = self.driver.find_element(self.by, selector)
        field.clear()
        field.send_keys(text)

    def choose(self, selector, path):
        self.driver.find_element(self.by, selector).send_keys(str(path))

    def close(self):
        self.driver.quit()
        self.driver.instance = None


class WebKit(Engine):
    """WebKitGTK's own small browser, on a screen that nobody sees."""

    def __init__(self):
        from selenium import webdriver
        from selenium.webdriver.common.by import By
        from selenium.webdriver.webkitgtk.service import Service

        self.screen = subprocess.Popen(
            ["Xvfb", "-displayfd", "1", "-screen", "0", "1280x1000x24", "-nolisten", "tcp"],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        )
        atexit.register(self.screen.kill)
        self.by = By.CSS_SELECTOR
        options = webdriver.WebKitGTKOptions()
        options.binary_location = sorted(glob.glob("/usr/lib/*/webkit2gtk-4.*/MiniBrowser"))[-1]
        options.add_argument("--automation")
        environment = {**os.environ, "DISPLAY": ":" + self.screen.stdout.readline().strip(), "LANG": "en_GB.UTF-8"}
        self.driver = webdriver.WebKitGTK(
            options=options, service=Service(shutil.which("WebKitWebDriver"), env=environment)
        )

    def navigate(self, url):
        self.driver.get(url)

    def run(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def press(self, selector):
        self.driver.find_element(self.by, selector).click()

    def fill(self, selector, text):
        field = self.driver.find_element(self.by, selector)
        field.clear()
        field.send_keys(text)

    def choose(self, selector, path):
        self.driver.find_element(self.by, selector).send_keys(str(path))

    def close(self):
        self.driver.quit()
        self.screen.kill()
        self.screen.wait()


ABSENT = {
    "firefox": lambda: None if shutil.which("firefox-esr") or shutil.which("firefox") else "there is no Firefox",
    "webkit": lambda: None if shutil.which("WebKitWebDriver") and shutil.which("Xvfb") else "there is no WebKitWebDriver",
}
