import ArgumentParser
import Foundation
import WeirBoards
import WeirFlows
import WeirPages
import WeirStandard

struct Check: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract:
            "Checks operation files, templates and strings, and tells every problem by file and line.",
        usage: "weir check [--config <file>] [--operations <folder>] [--templates <folder>] [--runbook <file>] ...",
        discussion: SettingFlags.help)

    @OptionGroup var flags: SettingFlags

    func run() async throws {
        let environment = ProcessInfo.processInfo.environment
        let settings = try Settings.inForce(flags.sources(environment: environment))
        let port = MutableStateFlow<Int?>(nil)
        let standard = StandardCatalog(settings: settings, folder: URL(filePath: "."), port: port.asStateFlow())
        var catalog = standard.served
        let files: OperationFolderService
        let runbooks = Runbooks(files: settings.list("runbook"))
        do {
            files = try OperationFolderService(settings, config: flags.config, environment: environment)
            files.add(to: &catalog)
            runbooks.add(to: &catalog)
        } catch {
            complain(error.description)
            throw ExitCode(error.exitCode)
        }
        if catalog.stores.isEmpty, let sample = RunbookState.samples.first {
            // Checks the runbook templates with a sample if no runbook is served.
            Runbooks.add(sample, id: "runbook", to: &catalog)
        }
        let problems: [TemplateProblem]
        do {
            var texts = files.texts
            texts.problems += runbooks.problems
            let templates = try TemplateSet(overlay: settings.templatesFolder, declared: texts)
            problems = PageRenderer(catalog: catalog, templates: templates).check()
        } catch let error as TemplateSetError {
            complain(error.description)
            throw ExitCode(1)
        }
        let declared = catalog.entries.flatMap(\.problems) + catalog.stores.flatMap(\.problems)
        for remark in files.remarks { complain(remark) }
        for problem in declared { print(problem) }
        for problem in problems { print(problem) }
        let count = declared.count + problems.count
        guard count == 0 else {
            complain(count == 1 ? "1 problem" : "\(count) problems")
            throw ExitCode(1)
        }
        print("Operations: \(catalog.entries.count), stores: \(catalog.stores.count). No problems.")
    }
}
