package import WeirBoards
package import WeirStates

extension DefinitionReader {
    /// Reads the notification rules, or returns nil if the file has none.
    mutating func notifications(_ value: FileValue?) -> [NotificationRule]? {
        guard let value else { return nil }
        var names: Set<String> = []
        return (value.list ?? []).enumerated().compactMap { index, each in
            let name = each["name"]?.text ?? String(index + 1)
            if !names.insert(name).inserted {
                list.note(each, "There are two notifications “\(name)”. Give one another name.")
            }
            let events = (each["when"]?.list ?? []).compactMap { $0.text.flatMap(NotificationEvent.init) }
            if let when = each["when"], when.list?.isEmpty == true {
                list.note(when, "`when` is empty. Write what is worth a message, such as [failed, recovered].")
            }
            if !isOfSettings, events.contains(.server), let when = each["when"] {
                list.note(
                    when,
                    "`server` is about the server, not about this operation. Write the rule under `notify` in weir.yml."
                )
            }
            let period = period(each)
            guard let channel = channel(each) else { return nil }
            return NotificationRule(name: name, events: Set(events), channel: channel, period: period)
        }
    }

    /// Reads the times of digests and reports, or returns nil for a rule about events.
    private mutating func period(_ rule: FileValue) -> NotificationPeriod? {
        if let empty = rule["send_empty"], rule["digest"] == nil {
            list.note(empty, "`send_empty` is for a `digest`. Remove it.")
        }
        let given = ["when", "digest", "report"].filter { rule[$0] != nil }
        guard given != ["when"] else { return nil }
        guard given.count == 1, let name = given.first, let value = rule[name] else {
            list.note(
                rule,
                "A notification has one of `when`, such as [failed, recovered], and in weir.yml `digest`, such as \"07:00\", and "
                    + "`report`, such as monday 08:00.")
            return nil
        }
        if !isOfSettings {
            list.note(
                value, "A \(name) is about all operations. Write the rule under `notify` in weir.yml.")
        } else if rule["email"] == nil {
            list.note(value, "A \(name) is sent by e-mail. Write `email: [ops@example.com]`, and no other receiver.")
        }
        let text = value.text ?? ""
        let period =
            name == "digest"
            ? NotificationPeriod(digest: text, sendsEmpty: rule["send_empty"]?.flag == true)
            : NotificationPeriod(report: text)
        if period == nil {
            list.note(
                value,
                name == "digest"
                    ? "“\(text.prefix(40))” is no time of day. Write one from \"00:00\" to \"23:59\", such as \"07:00\"."
                    : "“\(text.prefix(40))” is no time of the week. Write a day and a time, such as monday 08:00.")
        }
        return period
    }

    private mutating func channel(_ value: FileValue) -> NotificationRule.Channel? {
        switch (value["webhook"], value["command"], value["email"]) {
        case (let webhook?, nil, nil): return self.webhook(webhook).map { .webhook($0) }
        case (nil, let command?, nil): return self.notificationCommand(command).map { .command($0) }
        case (nil, nil, let email?): return .email(addresses(email))
        default:
            list.note(
                value,
                "A notification has one of `webhook`, such as {url: \"https://…\", body: slack}, `command`, a list, and `email`, "
                    + "a list of addresses.")
            return nil
        }
    }

    private mutating func addresses(_ value: FileValue) -> [MailAddress] {
        let elements = value.list ?? []
        if elements.isEmpty { list.note(value, "`email` is empty. Write the addresses, such as [ops@example.com].") }
        var known: Set<MailAddress> = []
        return elements.compactMap { element in
            guard let address = element.text.flatMap({ MailAddress($0) }) else {
                list.note(
                    element,
                    "“\((element.text ?? "").prefix(60))” is no e-mail address. Write one such as ops@example.com, in ASCII and "
                        + "without a name.")
                return nil
            }
            return known.insert(address).inserted ? address : nil
        }
    }

    private mutating func webhook(_ value: FileValue) -> NotificationRule.Webhook? {
        guard let place = value["url"], let url = secretTemplate(place) else { return nil }
        let isSecret = url.paths.first != nil && url.beginning.isEmpty
        if isSecret {
            // A secret address is checked when it is used.
        } else if !["http://", "https://"].contains(where: url.beginning.lowercased().hasPrefix) {
            list.note(place, "A webhook’s address begins with http:// or https://.")
        } else if url.paths.first != nil, url.beginning.split(separator: "/").count < 2 {
            list.note(
                place, "The host of a webhook’s address must be literal, or the whole address a secret.")
        } else if let sentence = OutgoingAddress.mistake(in: url.filled { _ in "x" } ?? "") {
            list.note(place, sentence)
        }
        let headers = (value["headers"]?.members ?? []).compactMap { header($0) }
        let format = value["body"]?.text.flatMap(NotificationFormat.init) ?? .generic
        switch (format.meaningOfTo, value["to"]) {
        case (let meaning?, nil): list.note(value, "`to` is missing for \(format.rawValue): \(meaning).")
        case (nil, let to?):
            list.note(to, "`to` has no meaning for \(format.rawValue). It is for telegram and pagerduty; remove it.")
        default: break
        }
        return NotificationRule.Webhook(
            url: url, body: format, to: value["to"].flatMap { secretTemplate($0) }, headers: headers,
            signingSecret: value["signed_with"]?.text)
    }

    private mutating func header(_ member: FileMember) -> NotificationRule.Header? {
        let own = ["host", "content-length", "transfer-encoding", "connection", "x-weir-delivery"]
        let isName =
            !member.name.isEmpty
            && member.name.utf8.allSatisfy { byte in
                byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                    || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
            }
        if !isName || own.contains(member.name.lowercased()) {
            list.note(
                member.place,
                "“\(member.name.prefix(40))” cannot be set as a header field. Remove it, or correct its name.")
        }
        if member.value.text?.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) == true {
            list.note(member.value, "A header field is one line of visible characters.")
        }
        return secretTemplate(member.value).map { NotificationRule.Header(name: member.name, value: $0) }
    }

    /// A text whose only placeholders are secrets.
    private mutating func secretTemplate(_ value: FileValue) -> PathTemplate? {
        guard let template = pathTemplate(value) else { return nil }
        for path in template.paths where path.root != "secrets" || path.names.count != 2 {
            list.note(
                value,
                "“{{\(path)}}” cannot stand here, but {{secrets.NAME}} can, for a secret that `weir secret set NAME` keeps."
            )
        }
        return template
    }

    private mutating func notificationCommand(_ value: FileValue) -> [PathTemplate]? {
        let elements = value.list ?? []
        guard let program = elements.first else {
            list.note(value, "The command is empty. Begin with the program, such as [mail-the-team, \"{{headline}}\"].")
            return nil
        }
        let templates = elements.compactMap { pathTemplate($0) }
        guard templates.count == elements.count else { return nil }
        if templates.first?.paths.isEmpty == false || program.text?.isEmpty == true {
            list.note(program, "The program itself must be literal.")
        }
        var hasEndedOptions = false
        for (element, template) in zip(elements, templates) {
            if element.text == "--" { hasEndedOptions = true }
            if element.text?.utf8.contains(0) == true { list.note(element, "An argument cannot hold a NUL character.") }
            for path in template.paths where !NotificationFacts.names.contains(path.description) {
                let nearest = NearestName.of(path.description, among: NotificationFacts.names)
                let known = NotificationFacts.names.map { "{{\($0)}}" }.joined(separator: ", ")
                list.note(
                    element,
                    "A notification has no “\(path)”. "
                        + (nearest.map { "Did you mean {{\($0)}}?" } ?? "There are \(known)."))
            }
            // Untrusted text must not be mistaken for an option.
            let wild = ["message", "actor", "title", "headline", "output"]
            if template.beginning.isEmpty, let first = template.paths.first, wild.contains(first.description),
                !hasEndedOptions
            {
                list.note(
                    element,
                    "“{{\(first)}}” could begin with a hyphen, which the program would take for an option. Write -- before it, "
                        + "or text in front of it.")
            }
        }
        return templates
    }
}

/// The notification rules for all operations, from `notify` in the settings file.
package enum StandardNotifications {
    private static let shape = Shape.list(of: OperationKeys.notification, limit: 20)

    /// The JSON Schema of `notify`.
    package static var schema: JSONValue { .object(shape.schema) }

    /// Reads a settings file, which mistakes call `file`.
    package static func read(_ text: String, file: String) -> (rules: [NotificationRule], mistakes: [FileMistake]) {
        var reader = DefinitionReader(id: "", file: file)
        reader.isOfSettings = true
        guard let root = YAMLText.read(text, &reader.list) else { return ([], reader.list.mistakes.sorted()) }
        guard let value = root["notify"] else { return ([], []) }
        shape.check(value, "notify", &reader.list)
        let rules = reader.notifications(value) ?? []
        return reader.list.mistakes.isEmpty ? (rules, []) : ([], reader.list.mistakes.sorted())
    }
}
