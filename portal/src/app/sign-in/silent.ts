/** Runs in the hidden frame of a silent renewal: hands the provider's answer to the page around it. */
const parent = window.parent === window ? undefined : window.parent;
parent?.postMessage({ source: 'oidc-client', url: window.location.href, keepOpen: false }, window.location.origin);
