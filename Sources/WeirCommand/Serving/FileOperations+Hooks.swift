import Foundation
import WeirBoards
import WeirFiles

extension FileOperations {
    /// The triggers and notifications of the files, with those that the settings name for all operations.
    func hooks(_ settings: Settings) -> HookPlan {
        var plan = HookPlan()
        plan.standard = settings.notifications
        plan.exempt = StandardCatalog.watchedIDs
        for definition in definitions {
            if !definition.triggers.isEmpty { plan.triggers[definition.id] = definition.triggers }
            plan.notifications[definition.id] = definition.notifications
        }
        return plan
    }
}
