/// Generates `Documentation/settings.md` from the table `Setting.all`.
enum SettingsDocument {
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

        `weir serve --check-config`, with the same flags and environment as the server, starts nothing and changes nothing. It prints every
        mistake of the settings with roles, grants and notifications, of certificates, the mail server and backups, of operation files,
        templates, strings and runbooks, and exits with 78 if there is one. A user or a token with an undeclared role is a mistake too. The public
        folder is not checked. Remarks are secrets that are not set; users, operations, stores and tags that only roles and grants name; and a
        server that no user can administer. Run it before a reload or an upgrade, as the server’s user and with its data folder.

        `weir settings --schema` writes the JSON Schema of the file. Editors with a YAML language server suggest and check keys with it:

        ```sh
        weir settings --schema > weir.schema.json
        sed -i '1i # yaml-language-server: $schema=weir.schema.json' weir.yml
        ```

        ## Signals

        `SIGHUP` (`kill -HUP`, `systemctl reload`) makes the server read the file again. It applies the settings marked *live* below,
        and `roles`, `grants` and `notify`, at once, and logs which other changes require a restart. `SIGUSR1` writes a status line to
        the log: version, active and queued runs, the longest wait, waiting messages, free disk space, journal, memory and files. `SIGTERM` and `SIGINT` [stop the server](operations-file.md#stopping-the-server) within four seconds; while programs of
        operation files run, within the longest `stop_grace_period` and `shutdown.grace` more. With `shutdown.notice`, the server first
        answers all requests for that time, while `/health/ready` answers 503, so that a proxy or a load balancer that checks it sends
        requests elsewhere: set somewhat more than the interval of its checks. Set the limit of the service manager (`TimeoutStopSec`)
        above the sum.

        A reload applies the whole file or nothing. These files are refused, and the previous settings stay in force:

        - one that cannot be read, is not YAML, or has a mistake;
        - one that is empty, missing or cut short: it lacks a key in force at any depth, has a list with fewer members than in force (one
          with another member is a new value), or its last line has no end. A full disk or a failed deployment leaves such a file.

        The log names each mistake, or all that is lacking, the audit has an entry, and every page that administrators see says so until
        a reload succeeds. To change a setting, write its new value; `grants: []`, `notify: []` and `roles: {}` are values too. To remove a
        key, so that its default applies, accept the file as it is, and reload:

        ```sh
        weir settings accept            # --config FILE --data FOLDER as the server has them; counts for the next SIGHUP and this file only
        systemctl reload weir
        ```

        A restart applies any file without mistakes, also an empty one.

        Each change is in the log and the audit with the value before and after, without secrets, before it is in force: at a reload,
        and at a start whose settings differ from those of the last start (a summary of them is in `settings.json` in the data folder).
        Lower limits of `retention`, by a reload, a restart or another server that takes over, remove nothing for a minute: the log, the
        audit and the pages of administrators say how many runs will be removed and when. Raise the limits again within the minute, and
        the removal is withdrawn ([the journal](journal.md#retention)).

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
