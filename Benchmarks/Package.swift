// swift-tools-version: 6.2
import PackageDescription

// Each executable measures one thing: `swift run -c release FlowBenchmarks`. What it prints are ratios, as nanoseconds
// mean little from one machine to the next.

let package = Package(
    name: "benchmarks",
    platforms: [.macOS("26.0")],
    dependencies: [
        .package(url: "https://github.com/OpenCombine/OpenCombine.git", from: "0.14.0"),
        .package(url: "https://github.com/apple/swift-async-algorithms.git", from: "1.1.4"),
        .package(url: "https://github.com/apple/swift-crypto.git", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-log.git", from: "1.16.2"),
        .package(url: "https://github.com/groue/GRDB.swift.git", from: "7.10.0"),
    ],
    targets: [
        // The layers below the library, through a link: the journal's benchmarks measure what no product shows.
        .target(name: "Flows", path: "Weir/Flows", exclude: ["Flows.docc"]),
        .target(name: "States", path: "Weir/States"),
        .systemLibrary(name: "CPCRE2", path: "Weir/CPCRE2", pkgConfig: "libpcre2-8"),
        .target(name: "Patterns", dependencies: ["CPCRE2"], path: "Weir/Patterns"),
        .target(name: "Operations", dependencies: ["Flows", "Patterns", "States"], path: "Weir/Operations"),
        .target(name: "Stores", dependencies: ["Flows", "States"], path: "Weir/Stores"),
        .target(name: "Journals", dependencies: ["States"], path: "Weir/Journals"),
        .target(name: "Schedules", dependencies: ["Journals"], path: "Weir/Schedules"),
        .target(
            name: "JournalsSQLite",
            dependencies: [
                "Journals", "States", .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
            ], path: "Weir/JournalsSQLite"),
        .target(
            name: "Access",
            dependencies: [
                "States", .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
                .product(name: "Logging", package: "swift-log"),
            ], path: "Weir/Access"),
        .target(
            name: "Boards",
            dependencies: [
                "Access", "Flows", "States", "Operations", "Stores", "Journals", "Schedules",
                .product(name: "Logging", package: "swift-log"),
            ], path: "Weir/Boards"),
        .executableTarget(
            name: "FlowBenchmarks",
            dependencies: [
                "Flows", .product(name: "OpenCombine", package: "OpenCombine"),
                .product(name: "AsyncAlgorithms", package: "swift-async-algorithms"),
            ]),
        .executableTarget(
            name: "JournalBenchmarks",
            dependencies: [
                "Flows", "States", "Operations", "Stores", "Journals", "JournalsSQLite", "Boards",
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
            ]),
    ]
)

for target in package.targets where target.type != .system {
    target.swiftSettings = [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("InternalImportsByDefault"),
    ]
}
