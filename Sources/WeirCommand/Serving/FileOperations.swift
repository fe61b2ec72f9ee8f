import Boards
import Commands
import Deliveries
import Foundation
import Logging
import OperationFiles
import Operations
import Pages
import StandardOperations
import States

/// The operations that files declare, as far as their files are right.
struct FileOperations: Sendable {
    private let folder: OperationFolder?
    private let environment: CommandEnvironment?

    /// Reads the folder of the settings, or `operations` beside the settings' file if it exists.
    ///
    /// A file with a mistake is left out, and its mistakes are kept.
    ///
    /// - Parameters:
    ///   - settings: The settings in force.
    ///   - config: The path of the settings' file.
    ///   - environment: The server's own environment.
    /// - Throws: `StartError` when the folder cannot be read.
    init(_ settings: Settings, config: String?, environment: [String: String]) throws(StartError) {
        guard let url = Self.url(settings, config: config) else {
            (folder, self.environment) = (nil, nil)
            return
        }
        do {
            folder = try OperationFolder(url, reserved: StandardCatalog.fields)
        } catch {
            throw .misconfigured(error.description)
        }
        self.environment = CommandEnvironment(folder: url, environment: environment, helper: try? CommandHelper())
    }

    private static func url(_ settings: Settings, config: String?) -> URL? {
        if let path = settings.text("operations") { return URL(filePath: path, directoryHint: .isDirectory) }
        let beside = URL(filePath: config ?? "weir.yml").deletingLastPathComponent()
            .appending(path: "operations", directoryHint: .isDirectory)
        var isFolder: ObjCBool = false
        let exists = FileManager.default.fileExists(atPath: beside.path, isDirectory: &isFolder)
        return exists && isFolder.boolValue ? beside : nil
    }

    /// The operations that are in force.
    var definitions: [OperationDefinition] { folder?.definitions ?? [] }

    /// What the commands of notifications run in.
    var surroundings: NotificationSender.Surroundings {
        NotificationSender.Surroundings(
            helper: environment?.helper ?? (try? CommandHelper()), folder: environment?.folder.path ?? ".",
            variables: environment?.variables ?? [:])
    }

    /// The longest time that one of their programs can take to stop.
    var stopGracePeriod: Duration { folder?.definitions.flatMap { [$0] + $0.parts }.map(\.stopGracePeriod).max() ?? .zero }

    /// Adds the operations.
    func add(to catalog: inout Catalog) {
        guard let folder, let environment else { return }
        for definition in folder.definitions {
            guard !definition.isReported else {
                catalog.addReported(
                    id: definition.id, title: definition.title.text, summary: definition.summary.text,
                    tags: Set(definition.tags))
                continue
            }
            let schedule = definition.schedule.map { ScheduledStart($0.schedule, input: $0.input) }
            func add(_ operation: some StateOperation) {
                catalog.add(
                    operation, id: definition.id, title: definition.title.text, summary: definition.summary.text,
                    tags: Set(definition.tags), reentry: definition.reentry, timeout: definition.timeout,
                    schedule: schedule, partOf: nil)
            }
            guard let plan = definition.plan else {
                add(CommandOperation(definition, in: environment))
                continue
            }
            add(StepsOperation(plan, fields: definition.fields))
            for part in definition.parts {
                catalog.add(
                    CommandOperation(part, in: environment), id: part.id, title: part.title.text, summary: "",
                    tags: Set(definition.tags), reentry: .concurrent, timeout: nil, schedule: nil,
                    partOf: definition.id)
            }
        }
    }

    /// The templates and texts that come with them, and what is wrong with the files.
    var texts: DeclaredTexts {
        var texts = DeclaredTexts()
        guard let folder else { return texts }
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

    /// A text that is the same in every language stands in the catalog.
    private static func texts(_ text: LocalizedText?) -> [String: String]? {
        text.flatMap { $0.texts.isEmpty ? nil : $0.texts }
    }

    /// Says in the log what is wrong, and what was taken up.
    func report(to logger: Logger) {
        guard let folder else { return }
        for mistake in folder.mistakes {
            logger.error("An operation's file has a mistake, and the operation cannot be started. \(mistake)")
        }
        if environment?.helper == nil, !folder.definitions.isEmpty {
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
