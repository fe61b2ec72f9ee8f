import WeirBoards
import WeirOperations
import WeirStates

/// The traits seen so far of operations, fields and states that decide which branches pages take.
///
/// Operations with equal traits give page templates the same shapes, regardless of their texts and values. A new branch
/// that depends on another property of an operation needs a trait here; a test compares the shapes with those of a check
/// without traits.
struct OperationTraits {
    /// The properties of an operation that most branches combine with another trait.
    private struct Kind: Hashable {
        let isReported: Bool
        let isPart: Bool
        let isWatched: Bool
        let hasSteps: Bool

        init(_ entry: CatalogEntry) {
            (isReported, isPart, hasSteps) = (entry.isReported, entry.partOf != nil, entry.plan != nil)
            isWatched = if case .whileWatched = entry.lifetime { true } else { false }
        }
    }

    private enum Trait: Hashable {
        case any, timeout, tags, mistakes, schedule, output, detours, file, form, input
        case reentry(ReentryPolicy)
        /// The number of active cases, at most 2: pages show several as steps.
        case activeCases(Int)
        case field(String)
        case requiredField, defaultValue, help, unit, keptSecret
        case state(Phase, progress: WorkProgress.Unit?, hasTotal: Bool)
        case unnamedState, payload, noRetry
        /// A state of an operation whose runs are named by their input.
        case inputState(Phase)
    }

    private struct Seen: Hashable {
        let kind: Kind
        let trait: Trait
    }

    private let strings: StringTable
    private var seen: Set<Seen> = []

    init(_ strings: StringTable) { self.strings = strings }

    mutating func insert(_ entry: CatalogEntry) -> Bool { insert(traits(of: entry), Kind(entry)) }

    mutating func insert(_ state: StateRecord, of entry: CatalogEntry) -> Bool {
        var traits: [Trait] = [
            .state(state.phase, progress: state.progress?.unit, hasTotal: state.progress?.total != nil)
        ]
        if state.caseName == "none" { traits.append(.unnamedState) }
        if state.payload.object?.isEmpty != true { traits.append(.payload) }
        if state.payload["canRetry"] == .bool(false) { traits.append(.noRetry) }
        if entry.fields.contains(where: { $0.defaultValue != nil }) { traits.append(.inputState(state.phase)) }
        return insert(traits, Kind(entry))
    }

    private mutating func insert(_ traits: [Trait], _ kind: Kind) -> Bool {
        let before = seen.count
        for trait in traits { seen.insert(Seen(kind: kind, trait: trait)) }
        return seen.count > before
    }

    private func traits(of entry: CatalogEntry) -> [Trait] {
        let active = Set(entry.samples.filter { $0.phase == .active }.map(\.caseName))
        let flags: [(Bool, Trait)] = [
            (true, .any), (true, .reentry(entry.reentry)), (true, .activeCases(min(active.count, 2))),
            (entry.timeout != nil, .timeout), (!entry.tags.isEmpty, .tags), (entry.schedule != nil, .schedule),
            (entry.declaration?.mistakes.isEmpty == false, .mistakes), (entry.prints, .output),
            (!entry.detours.isEmpty, .detours), (entry.fields.contains { $0.kind == .file }, .file),
            (entry.fields.contains(where: \.needsValue), .form),
            (entry.fields.contains { $0.defaultValue != nil }, .input),
        ]
        return flags.filter(\.0).map(\.1) + entry.fields.flatMap { traits(of: $0, in: entry.id) }
    }

    private func traits(of field: InputField, in operation: String) -> [Trait] {
        let hasHelp = field.help != nil || strings.optional("field.\(operation).\(field.name).help") != nil
        let flags: [(Bool, Trait)] = [
            (true, .field(kind(of: field))), (field.isRequired, .requiredField),
            (field.defaultValue != nil, .defaultValue), (hasHelp, .help), (field.unit != nil, .unit),
            (field.kept != nil, .keptSecret),
        ]
        return flags.filter(\.0).map(\.1)
    }

    private func kind(of field: InputField) -> String {
        switch field.kind {
        case .text(_, let pattern): field.format?.rawValue ?? (pattern == nil ? "text" : "pattern")
        case .multiline: "multiline"
        case .url: "url"
        case .integer: "integer"
        case .number: "number"
        case .boolean: "boolean"
        case .choice(let values):
            field.groups.isEmpty ? (values.isEmpty ? "no choice" : "choice") : "choice in groups"
        case .secret: "secret"
        case .file: "file"
        }
    }
}
