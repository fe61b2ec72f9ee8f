# Weir behind Varnish (7.1 or later), with held polls collapsed: of all viewers who wait at the same place of the same
# feed, one request reaches Weir; the others wait in Varnish, which wakes them all at once.
#
# varnishd -C -f /path/to/varnish.vcl checks it. `script/test proxies` runs it as it is, except for the port.
vcl 4.1;

backend weir {
    .host = "127.0.0.1";
    .port = "8080";
    # The answer to an upload is sent when the file has arrived.
    .first_byte_timeout = 3600s;
    .between_bytes_timeout = 60s;
}

sub vcl_recv {
    # Who follows a stream by long polls, from a place on, and names nobody, shares the wait with all who ask the same.
    # Whatever else is asked of a stream is asked for itself.
    if (req.url ~ "^/api/v1/streams/.*[?&]live=long-poll(&|$)" && req.url ~ "[?&]offset=[0-9a-z]{10}_" &&
        req.method == "GET" && !req.http.Cookie && !req.http.Authorization) {
        unset req.http.Accept-Encoding;
        set req.http.X-Weir-Shared = "1";
        return (hash);
    }
    unset req.http.X-Weir-Shared;
    # Under a mount path: ^/ops/live/1/, here and three times below
    if (req.url ~ "^/live/1/" && (req.method == "GET" || req.method == "HEAD")) {
        # The same request has the same name: without these, Varnish collapses the rest.
        unset req.http.Cookie;
        unset req.http.Authorization;
        unset req.http.Accept-Language;
        unset req.http.Accept-Encoding;
        return (hash);
    }
    return (pass);
}

sub vcl_backend_fetch {
    # A hold lasts 14 s at most. An origin that hangs must not keep everybody waiting for the one who asked it.
    if (bereq.url ~ "^/live/1/" || bereq.http.X-Weir-Shared) {
        set bereq.first_byte_timeout = 30s;
    }
}

sub vcl_backend_response {
    # Events are passed on as they come.
    if (beresp.http.Content-Type ~ "^text/event-stream") {
        set beresp.do_stream = true;
    }
    if (bereq.url ~ "^/live/1/" || bereq.http.X-Weir-Shared) {
        # An answer is never valid for longer than it says.
        set beresp.grace = 0s;
        set beresp.keep = 0s;
        # An origin that fails is asked once a second, not once by each follower.
        if (beresp.status >= 500) {
            set beresp.ttl = 1s;
            return (deliver);
        }
        # Followers of an uncacheable answer must not be answered one after the other.
        if (beresp.http.Cache-Control ~ "no-store" || beresp.status >= 400) {
            set beresp.uncacheable = true;
            set beresp.ttl = 1s;
            return (deliver);
        }
    }
}

sub vcl_backend_error {
    # The same for an origin that is down: by default the answer to one follower is not cached, and each of
    # the others asks for itself.
    if (bereq.url ~ "^/live/1/" || bereq.http.X-Weir-Shared) {
        set beresp.ttl = 1s;
        set beresp.grace = 0s;
        set beresp.keep = 0s;
        set beresp.http.Cache-Control = "no-store";
        return (deliver);
    }
}

sub vcl_deliver {
    if (obj.hits > 0) { set resp.http.X-Cache = "HIT"; } else { set resp.http.X-Cache = "MISS"; }
}
