extension LocalizedText {
    /// What people call the steps of a request, by state.
    static let stepsOfRequests = [
        "connecting": LocalizedText(en: "Connecting", ptBR: "Conectando", es: "Conectando"),
        "sending": LocalizedText(
            en: "Waiting for the answer", ptBR: "Aguardando a resposta", es: "Esperando la respuesta"),
        "receiving": LocalizedText(en: "Receiving", ptBR: "Recebendo", es: "Recibiendo"),
    ]

    /// What people call the states of a feed.
    static let statesOfFeeds = [
        "asking": LocalizedText(en: "Asking", ptBR: "Consultando", es: "Consultando"),
        "following": LocalizedText(en: "Following", ptBR: "Acompanhando", es: "Siguiendo"),
        "failing": LocalizedText(en: "No current values", ptBR: "Sem valores atuais", es: "Sin valores actuales"),
    ]
}
