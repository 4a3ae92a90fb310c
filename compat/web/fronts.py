"""Debian's nginx and Apache in front of one FastCGI server, the ways that people set them up.

A front is one way: nginx as Debian's snippets have it (nginx), nginx with kept
connections and nothing buffered (nginx-kept), Apache by SetHandler
(apache-handler) and by ProxyPassMatch (apache-match). Each front has one port
for each pool of each server, so that the same request can go to both sides.
"""

FRONTS = ("nginx", "nginx-kept", "apache-handler", "apache-match")

APACHE_MODULES = ("mpm_event", "authz_core", "authz_host", "dir", "mime", "env", "setenvif", "rewrite",
                  "proxy", "proxy_fcgi", "reqtimeout")

NGINX_SERVER = r"""
server {{
    listen 127.0.0.1:{port};
    server_name compat.test;
    root {root};
    index index.php;
    client_max_body_size 300m;
    client_body_buffer_size 64k;
    large_client_header_buffers 8 64k;
    fastcgi_buffer_size 64k;
    fastcgi_buffers 16 64k;
    fastcgi_read_timeout 30s;
    underscores_in_headers on;
    {options}

    # Debian's own snippet, untouched.
    location ~ ^/snippet/(?<rest>.*)$ {{ rewrite ^/snippet/(.*)$ /$1 break; include snippets/fastcgi-php.conf; fastcgi_pass {to}; }}
    # The whole path as the script; PHP finds the end of it.
    location ~ ^/raw/ {{ rewrite ^/raw/(.*)$ /$1 break; include fastcgi.conf; fastcgi_pass {to}; }}
    location ~ ^/raw-pi/ {{ rewrite ^/raw-pi/(.*)$ /$1 break; include fastcgi.conf; fastcgi_param PATH_INFO $uri; fastcgi_pass {to}; }}
    # The split of CVE-2019-11043: "." does not match a newline, PATH_INFO comes empty.
    location ~ ^/newline/ {{ rewrite ^/newline/(.*)$ /$1 break; fastcgi_split_path_info ^(.+?\.php)(/.*)$; include fastcgi.conf;
        fastcgi_param PATH_INFO $fastcgi_path_info; fastcgi_pass {to}; }}
    location ~ ^/translated/ {{ rewrite ^/translated/(.*)$ /$1 break; fastcgi_split_path_info ^(.+?\.php)(/.*)$; include fastcgi.conf;
        fastcgi_param PATH_INFO $fastcgi_path_info; fastcgi_param PATH_TRANSLATED $document_root$fastcgi_path_info; fastcgi_pass {to}; }}
    location ~ ^/redirected/ {{ rewrite ^/redirected/(.*)$ /$1 break; include fastcgi.conf; fastcgi_param REDIRECT_URL /dump.php;
        fastcgi_param PATH_TRANSLATED {root}/dump.php; fastcgi_pass {to}; }}
    location ~ ^/no-script/ {{ include fastcgi.conf; fastcgi_param SCRIPT_FILENAME ""; fastcgi_pass {to}; }}
    location ~ ^/bare/ {{ fastcgi_pass {to}; }}
    location ~ ^/bare-script/ {{ fastcgi_param SCRIPT_FILENAME {root}/dump.php; fastcgi_pass {to}; }}
    location ~ ^/bare-get/ {{ fastcgi_param SCRIPT_FILENAME {root}/dump.php; fastcgi_param REQUEST_METHOD GET; fastcgi_pass {to}; }}
    location ~ ^/no-root/ {{ rewrite ^/no-root/(.*)$ /$1 break; include fastcgi.conf; fastcgi_param DOCUMENT_ROOT ""; fastcgi_pass {to}; }}
    location ~ ^/twice/ {{ rewrite ^/twice/(.*)$ /$1 break; include fastcgi.conf; fastcgi_param TWICE first; fastcgi_param TWICE second;
        fastcgi_param EMPTY ""; fastcgi_param HTTP_X_FROM_PARAM 1; fastcgi_pass {to}; }}
    location ~ ^/iis/ {{ rewrite ^/iis/(.*)$ /$1 break; include fastcgi.conf; fastcgi_param SERVER_SOFTWARE Microsoft-IIS/10.0;
        fastcgi_param PATH_INFO $fastcgi_script_name/extra; fastcgi_pass {to}; }}
    location ~ ^/value/ {{ rewrite ^/value/(.*)$ /$1 break; include fastcgi.conf; fastcgi_param PHP_VALUE "user_agent=from-value
precision=7"; fastcgi_param PHP_ADMIN_VALUE "memory_limit=99M"; fastcgi_pass {to}; }}
    location ~ ^/bad-value/ {{ rewrite ^/bad-value/(.*)$ /$1 break; include fastcgi.conf; fastcgi_param PHP_VALUE "no_such_thing=1
this is not ini"; fastcgi_pass {to}; }}
    location ~ ^/body-file/ {{ rewrite ^/body-file/(.*)$ /$1 break; client_body_in_file_only clean; fastcgi_pass_request_body off;
        include fastcgi.conf; fastcgi_param REQUEST_BODY_FILE $request_body_file; fastcgi_pass {to}; }}
    location ~ ^/pretty/ {{ rewrite ^/pretty/(.*)$ /dump.php?path=$1 last; }}
    location ~ ^/front/ {{ rewrite ^ /index.php$uri last; }}
    location ~ ^/(status|ping)$ {{ include fastcgi.conf; fastcgi_pass {to}; }}

    location ~ (\.php|\.phar|\.PHP|\.php5|/noext)(/|$) {{
        fastcgi_split_path_info ^(.+?\.php)(/.*)$;
        include fastcgi.conf;
        fastcgi_param PATH_INFO $fastcgi_path_info;
        fastcgi_pass {to};
    }}
}}
"""

APACHE_HEAD = """
ProxyPassInherit Off
LimitRequestFieldSize 65536
LimitRequestLine 65536
LimitRequestFields 500
RequestReadTimeout header=60 body=60
AllowEncodedSlashes NoDecode
ProxyTimeout 30
TypesConfig /etc/mime.types
"""

APACHE_SERVER = r"""
Listen 127.0.0.1:{port}
<VirtualHost 127.0.0.1:{port}>
    ServerName compat.test
    DocumentRoot {root}
    <Directory {root}>
        Require all granted
        AcceptPathInfo On
        DirectoryIndex index.php
    </Directory>
    RewriteEngine On
    RewriteRule ^/pretty/(.*)$ /dump.php?path=$1 [PT,QSA]
    RewriteRule ^/front/(.*)$ /index.php/$1 [PT]
    SetEnvIf Request_URI ^/i\.php/env SETENV_VALUE=set
    <LocationMatch "^/(i|index)\.php/auth">
        CGIPassAuth On
    </LocationMatch>
    {body}
</VirtualHost>
"""

APACHE_HANDLER = r"""
    <FilesMatch "(\.php|\.phar|\.PHP|\.php5|^noext)$">
        SetHandler "proxy:unix:{socket}|fcgi://localhost/"
    </FilesMatch>
    <LocationMatch "^/(status|ping)$">
        SetHandler "proxy:unix:{socket}|fcgi://localhost/"
    </LocationMatch>
"""

APACHE_MATCH = r"""
    ProxyPassMatch "^/(.*(\.php|\.phar|\.PHP|\.php5|/noext)(/.*)?)$" "unix:{socket}|fcgi://localhost{root}/$1"
    ProxyPassMatch "^/(status|ping)$" "unix:{socket}|fcgi://localhost{root}/$1"
    ProxyFCGIBackendType FPM
"""


def nginx_http(root, ports, sockets):
    """The http block for both nginx fronts. ports and sockets: {(front, side, pool): port or path}."""
    text = "include /etc/nginx/mime.types;\n"
    for (front, side, pool), socket in sockets.items():
        if front == "nginx-kept":
            text += f"upstream kept-{side}-{pool} {{ server unix:{socket}; keepalive 4; }}\n"
    for (front, side, pool), port in ports.items():
        if front == "nginx":
            text += NGINX_SERVER.format(port=port, root=root, to=f"unix:{sockets[front, side, pool]}", options="")
        elif front == "nginx-kept":
            text += NGINX_SERVER.format(
                port=port, root=root, to=f"kept-{side}-{pool}",
                options="fastcgi_keep_conn on; fastcgi_request_buffering off; fastcgi_buffering off;")
    return text


def apache_body(root, ports, sockets):
    text = APACHE_HEAD
    for (front, side, pool), port in ports.items():
        body = {"apache-handler": APACHE_HANDLER, "apache-match": APACHE_MATCH}.get(front)
        if body:
            text += APACHE_SERVER.format(port=port, root=root, body=body.format(socket=sockets[front, side, pool], root=root))
    return text
