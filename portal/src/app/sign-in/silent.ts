/** Runs in the hidden frame of a silent renewal: passes the provider's answer to the parent page. */
const parent = window.parent === window ? undefined : window.parent;
parent?.postMessage({ source: 'oidc-client', url: window.location.href, keepOpen: false }, window.location.origin);
