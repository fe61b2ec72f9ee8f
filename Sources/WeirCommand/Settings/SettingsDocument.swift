/// `Documentation/settings.md`, generated from the table `Setting.all`.
enum SettingsDocument {
    /// The document's text.
    static var text: String {
        """
        # Settings

        Everything that can be set in `weir serve`. `weir settings --markdown` generates this page; a test compares it with the
        table in `Sources/WeirCommand/Settings/Setting+All.swift`.

        A flag overrides the environment, the environment overrides the file, and the file overrides the default. The file is
        `weir.yml` in the folder where Weir is started, or the file given with `--config`. A dot in a setting's name is a level of
        the file, a hyphen in its flag and an underscore in its variable:

        ```yaml
        host: 127.0.0.1
        allowed-hosts: [weir.example, weir.internal]
        retention:
          days: 90
          http-request:
            days: 7
        ```

        All mistakes are reported at once, each with its place (`weir.yml:3`, `WEIR_PORT`, `--port`), and the server exits with
        status 78. An unknown name in the file or on the command line is a mistake, and the report suggests the setting it resembles.
        The environment can belong to other programs too: a variable that begins with `WEIR_` and is not a setting only causes a
        warning in the log.

        ## Signals

        `SIGHUP` (`kill -HUP`, `systemctl reload`) makes the server read the file again. It applies the settings marked *live* below
        at once, and logs which other changes require a restart. A file with a mistake changes nothing: the log reports the mistake
        with file and line, and the previous settings stay in force. `SIGUSR1` writes a status line to the log. `SIGTERM` and `SIGINT`
        end the server within three seconds; while programs of operation files run, within the longest `stop_grace_period` more.

        ## All settings

        | setting | flag, variable | accepts | default | |
        |---|---|---|---|---|
        \(Setting.all.map(row).joined(separator: "\n"))

        """
    }

    private static func row(_ setting: Setting) -> String {
        let standard = setting.standard.map { "`\($0)`" } ?? ""
        let live = setting.isLive ? " *Live.*" : ""
        let names = "`\(setting.flag)` `\(setting.variable)`"
        return "| `\(setting.key)` | \(names) | \(setting.accepts) | \(standard) | \(setting.help)\(live) |"
    }
}
