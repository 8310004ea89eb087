/** Reads the certificates of a server, also those that are not trusted. */
import { isIP } from 'node:net';
import { connect } from 'node:tls';

const dayMs = 86_400_000;

/** Returns the certificates from that of the server to the last that it sent or this machine has. */
export function chainOf(socket) {
  const chain = [];
  for (let one = socket.getPeerCertificate(true); one?.raw; one = one.issuerCertificate) {
    if (chain.some(({ fingerprint256 }) => fingerprint256 === one.fingerprint256)) break;
    chain.push(one);
  }
  return chain.map(({ subject, valid_to: validTo, fingerprint256 }) => ({
    name: subject?.CN ?? subject?.O ?? fingerprint256,
    validTo: new Date(validTo).toISOString(),
    days: Math.floor((Date.parse(validTo) - Date.now()) / dayMs),
    fingerprint256,
  }));
}

/** Connects only to read the certificates, and sends nothing. Returns none if that is not possible. */
export function untrustedChain(url, limitMs) {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  return new Promise((resolve) => {
    const socket = connect({
      host,
      port: Number(url.port || 443),
      ...(isIP(host) ? {} : { servername: host }),
      rejectUnauthorized: false,
    });
    const end = (chain) => {
      clearTimeout(timer);
      socket.destroy();
      resolve(chain);
    };
    const timer = setTimeout(() => end([]), limitMs);
    socket.once('secureConnect', () => end(chainOf(socket)));
    socket.once('error', () => end([]));
  });
}

/** The days of the server's certificate, of each other one, and the least of all. */
export function certificateReading(chain) {
  const [leaf, ...others] = chain;
  if (!leaf) return { metrics: {}, diagnostics: {} };
  const metrics = { CertificateDays: leaf.days, ChainDays: Math.min(...chain.map(({ days }) => days)) };
  for (const { name, days } of others) metrics[`CertificateDays ${name}`] = Math.min(days, metrics[`CertificateDays ${name}`] ?? days);
  return { metrics, diagnostics: { certificates: chain.map(({ name, validTo, days }) => [name, validTo, days]) } };
}

/** The reasons of OpenSSL and Node in plain words. */
const faults = {
  DEPTH_ZERO_SELF_SIGNED_CERT: 'The certificate is signed by itself and not trusted',
  SELF_SIGNED_CERT_IN_CHAIN: 'The certificate comes from an authority that this machine does not trust',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    'The certificate comes from an authority that this machine does not trust, or the server does not send it',
  UNABLE_TO_GET_ISSUER_CERT: 'A certificate of an authority is missing',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    'The certificate comes from an authority that this machine does not trust, or the server does not send it',
  CERT_HAS_EXPIRED: 'A certificate has expired',
  CERT_NOT_YET_VALID: 'A certificate is not valid yet',
  CERT_REVOKED: 'The certificate was revoked',
  CERT_UNTRUSTED: 'The certificate is not trusted',
  CERT_REJECTED: 'The certificate is not accepted for this purpose',
  INVALID_PURPOSE: 'The certificate is not accepted for this purpose',
  INVALID_CA: 'A certificate of the chain is not that of an authority',
  CERT_SIGNATURE_FAILURE: 'The signature of a certificate is wrong',
  PATH_LENGTH_EXCEEDED: 'The chain of certificates is longer than it may be',
  ERR_TLS_CERT_ALTNAME_INVALID: 'The certificate is for another name',
};

/** Undefined for an error that is not about a certificate. */
export const certificateFault = (error) => faults[error.code];
