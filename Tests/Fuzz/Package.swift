// swift-tools-version: 6.2
import PackageDescription

// What libFuzzer feeds, and nothing else: our own sources through a link, compiled so that libFuzzer sees which branches
// an input takes, and of the dependencies only what a parser cannot do without. `script/fuzz` builds and runs it.

let package = Package(
    name: "fuzz",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(url: "https://github.com/apple/swift-crypto.git", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-http-types.git", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log.git", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-nio.git", from: "2.101.2"),
        .package(url: "https://github.com/jpsim/Yams.git", from: "6.2.2"),
    ],
    targets: [
        .target(name: "Flows", path: "Sources/Flows", exclude: ["Flows.docc"]),
        .target(name: "States", path: "Sources/States"),
        .target(name: "Patterns", dependencies: ["CPCRE2"], path: "Sources/Patterns"),
        .target(name: "Operations", dependencies: ["Flows", "Patterns", "States"], path: "Sources/Operations"),
        .target(name: "Stores", dependencies: ["Flows", "States"], path: "Sources/Stores"),
        .target(name: "Journals", dependencies: ["Flows", "States"], path: "Sources/Journals"),
        .systemLibrary(name: "CPostgreSQL", path: "Sources/CPostgreSQL", pkgConfig: "libpq"),
        .target(
            name: "JournalsPostgres", dependencies: ["CPostgreSQL", "Journals"], path: "Sources/JournalsPostgres",
            sources: ["Connecting/PostgresAddress.swift"]),
        .target(name: "Schedules", dependencies: ["Journals"], path: "Sources/Schedules"),
        .target(
            name: "Boards",
            dependencies: [
                "Access", "Flows", "States", "Operations", "Stores", "Journals", "Schedules",
                .product(name: "Logging", package: "swift-log"),
            ], path: "Sources/Boards"),
        .target(
            name: "Pages", dependencies: ["Journals", "Operations", "States"], path: "Sources/Pages",
            sources: [
                "Live/PageTopic.swift", "Output", "PageLocale.swift", "Contents/RunFilter.swift",
                "Strings/RecordedSentences.swift", "Templates/TemplateScanner.swift", "Templates/TemplateTag.swift",
                "Values/CleanText.swift",
                "Writing/URLText.swift",
            ]),
        .target(
            name: "Web",
            dependencies: [
                "Access", "Boards", "Journals", "Operations", "Pages", "States",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "NIOCore", package: "swift-nio"),
            ], path: "Sources/Web",
            sources: [
                "Bundles/SpooledFile.swift", "Hooks/JSONValue+Trigger.swift",
                "Polling/PollDecision.swift", "Polling/PollRequest.swift", "Polling/PollSlots.swift",
                "Problems/Problem.swift", "Problems/Problem+BoardError.swift", "Problems/Problem+Kinds.swift",
                "Problems/ProblemWording.swift",
                "Requests/APIRoute.swift", "Requests/FeedCursor.swift", "Requests/FormFields+Number.swift",
                "Requests/JSONValue+Body.swift",
                "Requests/ContentType.swift", "Requests/FormFields.swift", "Requests/MountPath.swift",
                "Requests/PageName.swift", "Requests/RequestTarget.swift",
                "Requests/Route.swift", "Requests/RunQuery+Fields.swift", "Security/CrossSiteCheck.swift",
                "Security/ActorName.swift",
                "Security/HTTPField.Name+Weir.swift", "Security/HostCheck.swift", "Security/FrameAncestor.swift",
                "Security/SecurityHeaders.swift",
                "Uploads/MultipartHead.swift",
                "Uploads/MultipartMistake.swift", "Uploads/MultipartParser.swift", "Uploads/MultipartPart.swift",
                "Uploads/Resuming/UploadChecksum.swift", "Uploads/Resuming/UploadMetadata.swift",
                "Uploads/UploadFailure.swift", "Streams/HTTPField.Name+Streams.swift", "Streams/Problem+Streams.swift",
                "Streams/StreamCursor.swift", "Streams/StreamName.swift", "Streams/StreamOffset.swift",
                "Streams/StreamRequest.swift", "Streams/StreamStatus.swift", "Reports/Problem+Reports.swift",
                "Reports/ProducerHeaders.swift", "Reports/ReportMessages.swift",
                "Reports/ReportOpening.swift",
            ]),
        .target(
            name: "StandardOperations",
            dependencies: ["Flows", "Operations", "States", .product(name: "NIOCore", package: "swift-nio")],
            path: "Sources/StandardOperations",
            sources: [
                "Attempt.swift", "FileUpload/Files/SafeFilename.swift",
                "HTTPExchange/HTTPAnswer.swift", "HTTPExchange/HTTPFailure.swift",
                "HTTPExchange/Targets",
                "OperationEnvironment.swift", "Outgoing",
                "HTTPRequest/HTTPRequestInput.swift", "HostVitals/HostReading.swift", "HostVitals/ProcText.swift",
                "ISSPosition/GroundPosition+Feed.swift", "ISSPosition/GroundPosition.swift",
                "PeopleInSpace/Craft.swift", "PeopleInSpace/CrewList.swift", "String+Inert.swift",
            ]),
        .target(
            name: "Webhooks", dependencies: ["States", .product(name: "Crypto", package: "swift-crypto")],
            path: "Sources/Webhooks"),
        .systemLibrary(name: "CMarkGFM", path: "Sources/CMarkGFM", pkgConfig: "libcmark-gfm"),
        .target(
            name: "StandardStores", dependencies: ["States", "Operations", "Stores", "Journals", "Boards", "CMarkGFM"],
            path: "Sources/StandardStores"),
        .systemLibrary(name: "CPCRE2", path: "Sources/CPCRE2", pkgConfig: "libpcre2-8"),
        .target(
            name: "Commands",
            dependencies: [
                "States", .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ], path: "Sources/Commands"),
        .target(
            name: "OperationFiles",
            dependencies: [
                "Commands", "Flows", "Patterns", "States", "Operations", "Schedules", "StandardOperations", "Webhooks",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "Yams", package: "Yams"),
            ], path: "Sources/OperationFiles",
            // What sends requests needs an HTTP client, and reads nothing that a file says.
            exclude: [
                "Requests/DeclaredRequest+Sending.swift", "Requests/FeedOperation.swift",
                "Requests/RequestOperation.swift",
            ]),
        .target(
            name: "Access", dependencies: ["Flows", "States", .product(name: "Crypto", package: "swift-crypto")],
            path: "Sources/Access",
            sources: [
                "Addresses", "Audit/AuditAction.swift", "Audit/AuditChain.swift", "Audit/AuditEntry.swift",
                "Deciding/Audience.swift", "Deciding/Permissions.swift", "Principals", "Rules",
                "Secrets/SecretText.swift", "Sessions/SessionCookie.swift",
            ]),
        .target(
            name: "WeirClient", dependencies: ["States"], path: "Sources/WeirClient",
            sources: [
                "Following/RunChange.swift", "Showing/ChangeText.swift", "Showing/Gauge.swift",
                "Showing/VisibleText.swift", "Wrapping/StateMessage.swift",
            ]),
        .target(
            name: "Settings",
            dependencies: [
                "Access", "Journals", "JournalsPostgres", "OperationFiles", "StandardOperations", "States", "Web",
                "Webhooks",
                .product(name: "Yams", package: "Yams"),
            ],
            path: ".",
            sources: [
                "Settings/StandardCatalog.swift", "Sources/WeirCommand/Settings/Setting.swift",
                "Sources/WeirCommand/Settings/Setting+Access.swift",
                "Sources/WeirCommand/Settings/Setting+All.swift", "Sources/WeirCommand/Settings/Setting+Journal.swift",
                "Sources/WeirCommand/Settings/Setting+Names.swift",
                "Sources/WeirCommand/Settings/SettingsDocument.swift",
                "Sources/WeirCommand/Settings/SettingsFile.swift",
            ]),
        .executableTarget(
            name: "fuzz",
            dependencies: [
                "Access", "States", "Operations", "Journals", "Schedules", "Boards", "Pages", "Web", "Webhooks",
                "StandardOperations", "StandardStores", "Commands", "OperationFiles", "Settings", "WeirClient",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "NIOCore", package: "swift-nio"),
            ],
            path: "Harness", linkerSettings: [.unsafeFlags(["-sanitize=fuzzer", "-use-ld=lld"])]),
    ]
)

for target in package.targets where target.type != .system {
    target.swiftSettings = [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .unsafeFlags(["-sanitize=fuzzer", "-parse-as-library", "-enable-testing"]),
    ]
}
