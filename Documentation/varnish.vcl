# Weir behind Varnish (7.1 or later), with held polls collapsed: of all viewers who wait at the same place of the same
# feed, one request reaches Weir; the others wait in Varnish, which wakes them all at once.
vcl 4.1;

backend weir {
    .host = "127.0.0.1";
    .port = "8080";
    # A hold lasts 14 s at most; an upload's answer comes when the file has arrived.
    .first_byte_timeout = 3600s;
    .between_bytes_timeout = 60s;
}

sub vcl_recv {
    # Under a mount path: ^/ops/live/1/
    if (req.url ~ "^/live/1/") {
        # One question has one name: without these, Varnish collapses what is left.
        unset req.http.Cookie;
        unset req.http.Authorization;
        unset req.http.Accept-Language;
        unset req.http.Accept-Encoding;
        return (hash);
    }
    return (pass);
}

sub vcl_backend_response {
    if (bereq.url ~ "^/live/1/") {
        # Followers of an uncacheable answer must not be answered one after the other.
        if (beresp.http.Cache-Control ~ "no-store" || beresp.status >= 400) {
            set beresp.uncacheable = true;
            set beresp.ttl = 1s;
            return (deliver);
        }
        # An answer is never right for longer than it says.
        set beresp.grace = 0s;
    }
}

sub vcl_deliver {
    if (obj.hits > 0) { set resp.http.X-Cache = "HIT"; } else { set resp.http.X-Cache = "MISS"; }
}
