import Foundation
import Logging
import WeirAccess
import WeirBoards
import WeirFiles
import WeirJournals
import WeirOperations
import WeirPages
import WeirStandard
import WeirStates

struct OperationFolderService: Sendable {
    let tracker: FolderTracker
    let choices: ChoiceLists
    private let folder: OperationFolder
    let environment: CommandEnvironment
    let secrets: KeptSecrets

    /// Reads the configured folder, or `operations` beside the settings file if it exists.
    ///
    /// A file with mistakes is skipped, and its mistakes are kept. A folder that is not configured may be created later.
    init(
        _ settings: Settings, config: String?, environment: [String: String], umask: FileMask? = nil
    ) throws(StartError) {
        let url = Self.folder(settings, config: config)
        let isOptional = settings.text("operations") == nil
        do {
            tracker = try FolderTracker(
                url, reserved: StandardCatalog.fields, isOptional: isOptional,
                limit: settings.integer("operations.maximum") ?? OperationFolder.standardLimit,
                timezone: settings.text("timezone"))
        } catch {
            throw .misconfigured(error.description)
        }
        folder = tracker.current
        self.environment = CommandEnvironment(
            folder: url, environment: environment, helper: try? CommandHelper(),
            filesFolder: DataFolder(settings).received,
            umask: settings.text("programs.umask").flatMap { FileMask($0) } ?? umask,
            artifacts: DataFolder(settings).artifacts(settings))
        choices = ChoiceLists(in: self.environment)
        secrets = KeptSecrets(DataFolder(settings).secrets)
    }

    /// The configured folder, or `operations` beside the settings file.
    static func folder(_ settings: Settings, config: String?) -> URL {
        settings.text("operations").map { URL(filePath: $0, directoryHint: .isDirectory) }
            ?? URL(filePath: config ?? "weir.yml").deletingLastPathComponent()
            .appending(path: "operations", directoryHint: .isDirectory)
    }

    private init(_ other: OperationFolderService, _ folder: OperationFolder) {
        (tracker, environment, choices, secrets) = (other.tracker, other.environment, other.choices, other.secrets)
        self.folder = folder
    }

    func reading(_ folder: OperationFolder) -> OperationFolderService { OperationFolderService(self, folder) }

    static let longestGracePeriod = Duration.seconds(3_600)
    var definitions: [OperationDefinition] { folder.definitions }

    var stopGracePeriod: Duration {
        folder.definitions.flatMap { [$0] + $0.parts }.map(\.stopGracePeriod).max() ?? .zero
    }

    var drainTimeout: Duration {
        let period = stopGracePeriod
        return period > .zero ? period + .seconds(1) : .milliseconds(700)
    }

    var alwaysPolled: [String] { folder.definitions.filter { $0.pollsAlways == true }.map(\.id) }

    /// Adds the operations to a catalog; `outgoing` is the environment of `http` and `feed` requests.
    func add(to catalog: inout Catalog, outgoing: OperationEnvironment = OperationEnvironment()) {
        if !folder.definitions.isEmpty {
            catalog.edition = folder.edition(choices)
            catalog.fingerprint = folder.fingerprint
        }
        catalog.keptSecret = { [secrets] in secrets.value($0) }
        for definition in folder.definitions {
            add(choices.filling(definition), to: &catalog, outgoing)
            catalog.offer(definition.presets, for: definition.id)
            let declaration = OperationDeclaration(
                text: folder.texts[definition.id] ?? "", digest: folder.digest(of: definition.id) ?? "",
                mistakes: (folder.outdated[definition.id] ?? []).map(\.description))
            for id in [definition.id] + definition.parts.map(\.id) { catalog.declare(id, by: declaration) }
        }
    }

    private func add(
        _ definition: OperationDefinition, to catalog: inout Catalog, _ outgoing: OperationEnvironment
    ) {
        guard !definition.isReported else {
            catalog.addReported(
                id: definition.id, title: definition.title.text, summary: definition.summary.text,
                tags: Set(definition.tags))
            return
        }
        func add(_ operation: some StateOperation) {
            catalog.add(
                operation, id: definition.id, title: definition.title.text, summary: definition.summary.text,
                tags: Set(definition.tags), reentry: definition.reentry, timeout: definition.timeout,
                schedule: definition.schedule, partOf: nil)
        }
        if let feed = FeedOperation(definition, in: outgoing) {
            catalog.add(
                feed, id: definition.id, title: definition.title.text, summary: definition.summary.text,
                tags: Set(definition.tags), reentry: .joinExisting, lifetime: .whileWatched())
        } else if let request = RequestOperation(definition, in: outgoing) {
            add(request)
        } else if let plan = definition.plan {
            add(StepsOperation(plan, fields: definition.fields))
            for part in definition.parts {
                catalog.add(
                    CommandOperation(part, in: environment), id: part.id, title: part.title.text, summary: "",
                    tags: Set(definition.tags), reentry: .concurrent, timeout: nil, schedule: nil,
                    partOf: definition.id)
            }
        } else {
            add(CommandOperation(definition, in: environment))
        }
    }

    /// The operations' templates and texts, and the problems of their files.
    var texts: DeclaredTexts {
        var texts = DeclaredTexts()
        for definition in folder.definitions where definition.pollsAlways != nil {
            for state in ["following", "failing"] {
                texts.templates["operations/\(definition.id)/\(state).mustache"] = Self.feedTemplate
            }
        }
        for (path, template) in folder.templates { texts.templates["operations/\(path)"] = template }
        for definition in folder.definitions + folder.definitions.flatMap(\.parts) {
            let id = definition.id
            texts.texts["operation.\(id).title"] = Self.texts(definition.title)
            texts.texts["operation.\(id).summary"] = Self.texts(definition.summary)
            for (field, words) in definition.fieldTexts {
                texts.texts["field.\(id).\(field)"] = Self.texts(words.label)
                texts.texts["field.\(id).\(field).help"] = Self.texts(words.help)
            }
            for (state, title) in definition.stateTitles {
                texts.texts["case.\(id).\(state)"] = title.texts.isEmpty ? ["en": title.text] : title.texts
            }
        }
        texts.problems = folder.mistakes.map {
            TemplateProblem(file: $0.file, line: $0.line, column: $0.column, message: $0.detail)
        }
        return texts
    }

    /// Omits the progress gauge.
    private static let feedTemplate = "{{#show}}<p class=\"big\">{{.}}</p>{{/show}}\n{{>partials/values}}"

    /// Returns nil for a text without translations, which the catalog contains.
    private static func texts(_ text: LocalizedText?) -> [String: String]? {
        text.flatMap { $0.texts.isEmpty ? nil : $0.texts }
    }

    var keptSecrets: Set<String> { Set(folder.definitions.flatMap(\.fields).compactMap(\.kept)) }

    /// Remarks about secrets that are too short to be masked, and about schedules that have no further start.
    func remarks(at now: Timestamp = Timestamp(Date())) -> [String] {
        let short = "so it is not hidden in what programs print. Use a longer one."
        let limited = definitions.flatMap { definition in
            definition.fields.compactMap { field -> String? in
                guard case .secret(let limit) = field.kind, limit < SecretMask.minimum else { return nil }
                return "\(definition.id): the secret “\(field.name)” has at most \(limit) characters, \(short)"
            }
        }
        let kept = keptSecrets.sorted().filter { (secrets.value($0)?.count ?? .max) < SecretMask.minimum }
        let ended = definitions.flatMap { definition in
            (definition.schedule?.schedule.parts ?? []).filter { $0.next(after: now) == nil }.map {
                "\(definition.id): the schedule “\($0.text)” has no further start: none of its times is on a coming day of `only`. "
                    + "Add later days, or remove it."
            }
        }
        return limited + ended
            + kept.map { "The kept secret “\($0)” has fewer than \(SecretMask.minimum) characters, \(short)" }
    }

    func report(to logger: Logger) {
        for remark in remarks() { logger.warning("\(remark)") }
        guard !folder.definitions.isEmpty || !folder.mistakes.isEmpty else { return }
        for mistake in folder.mistakes {
            logger.error("An operation's file has a mistake and is not in force. \(mistake)")
        }
        if environment.helper == nil, !folder.definitions.isEmpty {
            logger.error("\(CommandHelper.NotFound())")
        }
        logger.notice(
            "Operations were read from files.",
            metadata: [
                "folder": "\(Quoted(folder.url.path))", "operations": "\(folder.definitions.count)",
                "mistakes": "\(folder.mistakes.count)",
            ])
    }
}
