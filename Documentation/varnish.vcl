# Weir behind Varnish (7.1 or later), with held polls collapsed: of all viewers who wait at the same place of the same
# feed, one request reaches Weir; the others wait in Varnish, which wakes them all at once.
#
# varnishd -C -f /path/to/varnish.vcl checks it. `script/test proxies` runs it as it is, except for the port, and with its
# marked line switched on.
#
# Varnish knows neither users nor HTTPS:
#   users   Start Weir with --auth none, which lets everybody do everything; or with --auth password or oidc, and
#           --trusted-proxies 127.0.0.1, so that Weir knows the addresses of clients. With --auth proxy, another proxy in
#           front of Varnish asks for passwords: nginx.conf with the address of Varnish in place of Weir's, or haproxy.cfg.
#           The mark front switches that on, if it is on this machine: sed -e 's/#front //' varnish.vcl
#   HTTPS   Hitch in front of Varnish, or HAProxy (send-proxy-v2-ssl): by the PROXY protocol, Varnish knows the client and
#           whether it uses HTTPS: varnishd -a :80 -a proxy=127.0.0.1:6086,PROXY -f varnish.vcl, and
#           hitch --backend=[127.0.0.1]:6086 --frontend=[*]:443 --write-proxy-v2=on --alpn-protos=http/1.1 weir.pem
#           Or nginx.conf in front of Varnish, as above.
#
# Under a mount path such as /ops, write it before /live/ and /api/ below.
vcl 4.1;

import proxy;

backend weir {
    .host = "127.0.0.1";
    .port = "8080";
    # The answer to an upload is sent when the file has arrived.
    .first_byte_timeout = 3600s;
    .between_bytes_timeout = 60s;
}

# The proxies in front that sign people in: what they say about the client is passed on. A proxy that uses the PROXY protocol
# does not belong here, since it passes on what the client says.
acl front {
    #front "127.0.0.1";
}

sub vcl_recv {
    if (client.ip !~ front) {
        # The client's address and scheme. What the client says about them is replaced, or removed.
        set req.http.X-Forwarded-For = client.ip;
        if (proxy.is_ssl()) {
            set req.http.X-Forwarded-Proto = "https";
        } else {
            set req.http.X-Forwarded-Proto = "http";
        }
        unset req.http.X-Forwarded-Host;
        unset req.http.X-Forwarded-Port;
        unset req.http.X-Real-IP;
        unset req.http.Forwarded;
        call remove_user;
        # For whom the caller says it acts; Weir believes it of administrators.
        if (req.http.Authorization !~ "(?i)^bearer[ \t]") {
            unset req.http.X-Weir-Actor;
        }
    }
    unset req.http.X-Weir-Shared;
    # A request that follows a stream by long polls, from an offset on, and names nobody, shares the wait with all that have the
    # same offset. Every other request for a stream is passed on by itself.
    if (req.url ~ "^/api/v1/streams/.*[?&]live=long-poll(&|$)" && req.url ~ "[?&]offset=[0-9a-z]{10}_" &&
        req.method == "GET" && !req.http.Cookie && !req.http.Authorization && !req.http.X-Remote-User &&
        !req.http.X-Forwarded-User && !req.http.Remote-User) {
        set req.http.X-Weir-Shared = "1";
    }
    # A live page whose URL names no audience. The answer is the same for everybody, so nothing about the client is passed on,
    # and all who wait share one request. A URL with an audience is for the people who may see the same, and is passed on.
    if (req.url ~ "^/live/1/[^/]+/[^/]+(/[^/]+/[^/]+)?$" && (req.method == "GET" || req.method == "HEAD")) {
        call remove_user;
        unset req.http.X-Weir-Actor;
        unset req.http.Authorization;
        unset req.http.Cookie;
        unset req.http.Accept-Language;
        set req.http.X-Weir-Shared = "1";
    }
    if (req.http.X-Weir-Shared) {
        unset req.http.Accept-Encoding;
        return (hash);
    }
    return (pass);
}

# Removes every name of a user and of groups. If actor-header or groups-header have other names than here, add those.
sub remove_user {
    unset req.http.X-Remote-User;
    unset req.http.X-Remote-Groups;
    unset req.http.X-Forwarded-User;
    unset req.http.X-Forwarded-Groups;
    unset req.http.Remote-User;
    unset req.http.Remote-Groups;
}

sub vcl_backend_fetch {
    # A hold lasts 14 s at most. An origin that hangs must not keep everybody waiting for the one who asked it.
    if (bereq.http.X-Weir-Shared) {
        set bereq.first_byte_timeout = 30s;
    }
}

sub vcl_backend_response {
    # Events are passed on as they come.
    if (beresp.http.Content-Type ~ "^text/event-stream") {
        set beresp.do_stream = true;
    }
    if (bereq.http.X-Weir-Shared) {
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
    if (bereq.http.X-Weir-Shared) {
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
