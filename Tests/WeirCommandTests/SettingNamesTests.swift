import Foundation
import Testing

@testable import WeirCommand

@Suite struct SettingNamesTests {
    @Test func `every setting is a flag, with dots as hyphens`() {
        for setting in Setting.all {
            let given = setting.standard ?? "somewhere"
            let texts = FlagTexts([setting.flag, given])
            #expect(texts.texts == [setting.key: given])
            #expect(texts.mistakes.isEmpty)
        }
        #expect(Setting.named("iss-position.url")?.flag == "--iss-position-url")
    }

    @Test func `no two settings share a flag or a variable`() {
        #expect(Set(Setting.all.map(\.key)).count == Setting.all.count)
        #expect(Set(Setting.all.map(\.flag)).count == Setting.all.count)
        #expect(Set(Setting.all.map(\.variable)).count == Setting.all.count)
    }

    @Test func `a value follows its flag or is joined to it, and the last one counts`() {
        let flags = FlagTexts(["--port", "1", "--host=::1", "--port=2", "--data=--odd", "--log-level", "debug"])
        #expect(flags.texts == ["port": "2", "host": "::1", "data": "--odd", "log-level": "debug"])
        #expect(flags.mistakes.isEmpty)
    }

    @Test func `a list may be given several times`() {
        let flags = FlagTexts(["--runbook", "a.md", "--runbook=b.md", "--allowed-hosts", "a.example,b.example"])
        #expect(flags.texts == ["runbook": "a.md,b.md", "allowed-hosts": "a.example,b.example"])
        let allowed = FlagTexts(["--http-request-allow", "10.0.0.0/8", "--http-request-allow=a.example"])
        #expect(allowed.texts == ["http-request.allow": "10.0.0.0/8,a.example"])
    }

    @Test func `a mistyped flag is reported with the one it resembles, and all mistakes at once`() {
        let flags = FlagTexts(["--prot", "9000", "--nothing-like-it=1", "stray", "--host", "--data", "x", "--port"])
        #expect(
            flags.mistakes.map(\.description) == [
                "--prot: there is no such flag; did you mean --port?",
                "--nothing-like-it: there is no such flag; `weir settings` lists all",
                "stray: is not a flag; a setting is written as --host VALUE",
                "--host: has no value; a value that begins with two hyphens is joined to it: --host=VALUE",
                "--port: has no value; a value that begins with two hyphens is joined to it: --port=VALUE",
            ])
        #expect(flags.texts == ["data": "x"])
    }

    @Test func `mistakes of the command line are reported with those of other places`() {
        let error = #expect(throws: SettingsError.self) {
            try Settings(
                flags: FlagTexts(["--prot", "1"]), environment: ["WEIR_PORT": "x"],
                file: SettingsFile(text: "prot: 1\n", name: "weir.yml"))
        }
        #expect(error?.mistakes.map(\.place) == ["--prot", "WEIR_PORT", "weir.yml:1"])
    }

    @Test func `a mistyped key is reported with the one it resembles, also when two letters are swapped`() {
        let text = "prot: 1\nretention:\n  dasy: 3\n  greting: {days: 1}\nsomething: 1\nmial: {server: x}\n"
        let file = SettingsFile(text: text, name: "weir.yml")
        #expect(
            file.mistakes.map(\.description) == [
                "weir.yml:1: there is no setting `prot`; did you mean `port`?",
                "weir.yml:3: there is no setting `retention.dasy`; did you mean `retention.days`?",
                "weir.yml:4: there is no setting `retention.greting`; did you mean `retention.greeting`?",
                "weir.yml:5: there is no setting `something`; `weir settings` lists all",
                "weir.yml:6: there is no setting `mial`; did you mean `mail`?",
            ])
    }

    @Test func `a variable that begins as settings do and is none is reported, and no mistake`() throws {
        let environment = ["WEIR_PROT": "1", "WEIR_PORT": "2", "WEIR_BUILD": "release", "PATH": "/bin"]
        #expect(
            Setting.unknownVariables(in: environment) == [
                "WEIR_BUILD is not a setting and has no effect; `weir settings` lists all.",
                "WEIR_PROT is not a setting and has no effect; did you mean WEIR_PORT?",
            ])
        #expect(try Settings(flags: FlagTexts(), environment: environment, file: nil).integer("port") == 2)
    }

    @Test func `the page of all settings is what the table says`() throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Documentation")
        let text = try String(contentsOf: folder.appending(path: "settings.md"), encoding: .utf8)
        #expect(
            text == SettingsDocument.text,
            "write it anew: .build/debug/weir settings --markdown > Documentation/settings.md")
    }
}
