import Foundation
import WeirAccess
import WeirBoards
import WeirFiles
import WeirFlows
import WeirJournals
import WeirPages
import WeirPostgres
import WeirStandard
import WeirStates
import WeirWeb

/// The mistakes of a configuration, found without starting a server and without changing anything.
struct ConfigurationCheck {
    /// The mistakes, each with its place.
    private(set) var problems: [String] = []
    /// Remarks about settings that are valid but may be unintended.
    private(set) var remarks: [String] = []
    private(set) var operations = 0
    private(set) var stores = 0
    private var subjects: [Subject] = []

    /// Checks files of operations, templates, strings and runbooks; throws `StartError` if their folders cannot be read.
    static func files(
        _ settings: Settings, config: String?, environment: [String: String]
    ) throws -> ConfigurationCheck {
        var check = ConfigurationCheck()
        let port = MutableStateFlow<Int?>(nil)
        let standard = StandardCatalog(settings: settings, folder: URL(filePath: "."), port: port.asStateFlow())
        var catalog = standard.served
        let runbooks = Runbooks(files: settings.list("runbook"))
        let files = try OperationFolderService(settings, config: config, environment: environment)
        files.add(to: &catalog)
        runbooks.add(to: &catalog)
        (check.operations, check.stores) = (catalog.entries.count, catalog.stores.count)
        if catalog.stores.isEmpty, let sample = RunbookState.samples.first {
            // Checks the runbook templates with a sample if no runbook is served.
            Runbooks.add(sample, id: "runbook", to: &catalog)
        }
        check.subjects = catalog.subjects
        check.remarks = files.remarks() + (settings.rules?.unmatched(among: catalog.subjects) ?? [])
        check.problems = (catalog.entries.flatMap(\.problems) + catalog.stores.flatMap(\.problems)).map { "\($0)" }
        var texts = files.texts
        texts.problems += runbooks.problems
        let templates: TemplateSet
        do {
            templates = try TemplateSet(overlay: settings.templatesFolder, declared: texts)
        } catch let error as TemplateSetError {
            check.problems.append("\(error)")
            // The other files are checked with the bundled templates.
            templates = try TemplateSet(overlay: nil, declared: texts)
        }
        check.problems += PageRenderer(catalog: catalog, templates: templates).check(trustsBundled: true) {}.map {
            "\($0)"
        }
        let plan = files.hooks(settings)
        check.remarks += files.missingSecrets(plan).map { "The secret “\($0)” is not set: weir secret set \($0)" }
        if settings.text("mail.server") == nil, plan.sendsMail {
            check.remarks.append(OperationFolderService.noMailServer)
        }
        return check
    }

    /// Checks everything that a start reads: also access, certificates, the mail server, backups and the public folder.
    static func all(_ settings: Settings, config: String?, environment: [String: String]) -> ConfigurationCheck {
        var check = ConfigurationCheck()
        func attempt(_ step: () throws -> Void) {
            do { try step() } catch { check.problems.append("\(error)") }
        }
        do throws(StartError) {
            _ = try AccessPlan(settings)
        } catch {
            check.problems += error.description.split(separator: "\n").map(String.init)
        }
        attempt {
            guard let chain = settings.text("tls.cert"), let key = settings.text("tls.key") else { return }
            let end = try ServerCertificate(chain: chain, key: key).end
            if end < Timestamp(Date()) {
                check.problems.append("A certificate in tls.cert ended at \(end). Renew it.")
            }
        }
        attempt { _ = try MailServer(settings) { _ in nil } }
        attempt { try BackupService.check(settings) }
        do {
            let files = try files(settings, config: config, environment: environment)
            (check.operations, check.stores) = (files.operations, files.stores)
            check.subjects = files.subjects
            check.problems += files.problems
            check.remarks += files.remarks
        } catch {
            check.problems.append("\(error)")
        }
        return check
    }

    /// Compares the stored users and tokens with the roles and grants; changes nothing.
    mutating func addUsers(_ settings: Settings) async {
        let mode = settings.text("auth")
        do {
            let found: AccessInspection
            switch JournalPlace(settings) {
            case .database(let url): found = AccessInspection(try await PostgresInspection.accessRecords(url))
            case .file, .memory:
                let path = DataFolder(settings).access
                found = try await WorkPool.files.run {
                    guard FileManager.default.fileExists(atPath: path) else { return AccessInspection([]) }
                    return try AccessInspection(path: path)
                }
            }
            let rules = settings.rules ?? AccessRules()
            problems += found.problems(rules)
            remarks += found.remarks(rules, subjects: subjects, hasPasswords: mode == "password")
        } catch {
            problems.append("The users cannot be read. \((error as? JournalError)?.withCause ?? error.explanation)")
        }
    }

    /// Prints the result: remarks and the number of problems to standard error, everything else to standard output.
    ///
    /// Returns whether there are no problems.
    func show() -> Bool {
        for remark in remarks { complain(remark) }
        for problem in problems { print(problem) }
        guard problems.isEmpty else {
            complain(problems.count == 1 ? "1 problem" : "\(problems.count) problems")
            return false
        }
        print("Operations: \(operations), stores: \(stores). No problems.")
        return true
    }
}
