/** Licences: signed here, read by the server; damaged ones and those signed with another key are refused. */
import { expect, it } from 'vitest';
import { productLicenceKey, readLicence } from '../server/src/features/lookups/licence-file.ts';
import { newLicenceKey, signLicence } from './licence.ts';

const maker = newLicenceKey();
const licence = { customer: 'Northwind Power', expires: new Date('2031-05-01T23:59:59Z'), issued: new Date('2026-01-01T00:00:00Z') };
const text = signLicence(maker.privateKey, licence);

it('answers what was signed', () => {
  expect(readLicence(text, maker.publicKey)).toEqual({
    customer: 'Northwind Power',
    issued: '2026-01-01T00:00:00.000Z',
    expires: '2031-05-01T23:59:59.000Z',
  });
});

it('refuses what was changed, signed by somebody else, or is no licence', () => {
  const { payload, signature } = JSON.parse(text) as Record<'payload' | 'signature', string>;
  const longer = Buffer.from(Buffer.from(payload, 'base64url').toString().replace('2031', '2099')).toString('base64url');
  expect(readLicence(JSON.stringify({ payload: longer, signature }), maker.publicKey)).toBeUndefined();
  expect(readLicence(text, newLicenceKey().publicKey)).toBeUndefined();
  expect(readLicence(text, productLicenceKey)).toBeUndefined();
  for (const other of ['', '{}', 'null', '[]', JSON.stringify({ payload, signature: '' })])
    expect(readLicence(other, maker.publicKey)).toBeUndefined();
});
