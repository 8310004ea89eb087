/** Publishers whom a tenant trusts, and uploads that they have signed by openssl. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rawRoutes } from '../../http/raw-calls.ts';
import { openPublisher, opensslMissing, type HomeOfPublisher } from '../../testing/openssl.ts';
import { testPackageKey } from '../../testing/packages/key.ts';
import { manifestOf, multipartOf, packageZip } from '../../testing/packages/zip.ts';
import { createWorld, holder, type TestCaller, type TestWorld, type WorldReply } from '../../testing/world.ts';
import { folderStore } from './folder-store.ts';

// Without openssl the test cannot sign.
describe.skipIf(opensslMissing !== undefined)('publishers', () => {
  let folder: string;
  let world: TestWorld;
  let acme: HomeOfPublisher;
  let other: HomeOfPublisher;
  const everything = holder('all');

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'publishers-'));
    const files = {
      store: folderStore(join(folder, 'kept')),
      key: testPackageKey(),
      incoming: join(folder, 'incoming'),
      maxBytes: 1024 ** 2,
    };
    world = await createWorld({ rawRoutes: rawRoutes({ files } as Parameters<typeof rawRoutes>[0]) });
    [acme, other] = [openPublisher(join(folder, 'acme')), openPublisher(join(folder, 'other'))];
  });
  afterAll(async () => {
    await world.close();
    await rm(folder, { recursive: true, force: true });
  });

  const site = async (): Promise<{ tenantId: string; me: TestCaller }> => {
    const { tenantId } = await world.tenant();
    return { tenantId, me: holder([tenantId]) };
  };
  const trust = (caller: TestCaller, publicKey: string, tenantId: string | null, name = 'Acme'): Promise<WorldReply> =>
    world.call(caller, 'PUT', '/v1/publishers', { name, publicKey, tenantId });
  const zip = (name: string, version = '1.0.0') => packageZip(manifestOf({ name, version }));
  const upload = (caller: TestCaller, fields: Record<string, string>, ...files: Buffer[]): Promise<WorldReply> => {
    const { body, headers } = multipartOf({ label: 'A build', ...fields }, files);
    return world.call(caller, 'POST', '/v1/packages/upload', body, headers);
  };
  const detailsOf = ({ status, body }: WorldReply) => [
    status,
    ...((body['error'] as { details?: { target: string; message: string }[] } | undefined)?.details ?? []).map((d) => [
      d.target,
      d.message,
    ]),
  ];

  it('are trusted by their public key, however it is written, and say by a fingerprint which one it is', async () => {
    const { tenantId, me } = await site();
    const created = await trust(me, acme.publicKey, tenantId);
    const base64 = acme.publicKey.replace(/-----[^-]+-----|\s/g, '');
    expect([created.status, created.body['publicKey'], created.body['fingerprint']]).toEqual([
      201,
      base64,
      expect.stringMatching(/^[0-9a-f]{64}$/),
    ]);
    expect(detailsOf(await trust(me, base64, tenantId, 'Acme again'))).toEqual([
      400,
      ['publicKey', 'This is the key of Acme, who is trusted already.'],
    ]);
    const wrong = async (publicKey: string) => detailsOf(await trust(me, publicKey, tenantId));
    expect(await wrong(acme.privateKey)).toEqual([400, ['publicKey', expect.stringContaining('This is a private key')]]);
    expect(await wrong('ssh-ed25519 AAAA')).toEqual([400, ['publicKey', expect.stringContaining('This is not a public key.')]]);
    expect(await wrong(openPublisher(join(folder, 'curve'), 'x25519').publicKey)).toEqual([
      400,
      ['publicKey', expect.stringContaining('a key of X25519')],
    ]);
    // The key is what is trusted, so the key of a stored publisher cannot be replaced.
    const id = String(created.body['publisherId']);
    expect((await world.call(me, 'POST', `/v1/publishers/${id}`, { publicKey: other.publicKey })).status).toBe(400);
    const audits = await world.system.db.query<{ verb: string }>({
      text: "select verb from audit where entity = 'publishers' and entity_id = $1",
      values: [id],
    });
    expect(audits).toEqual([{ verb: 'create' }]);
  });

  it('are managed by whoever may, which the right to upload packages does not include', async () => {
    const { tenantId } = await site();
    const uploader = holder(
      [tenantId],
      ['CloudFit.CFS.Packages:create', 'CloudFit.CFS.Packages:edit', 'CloudFit.CFS.Packages.Publishers:view'],
    );
    expect((await trust(uploader, acme.publicKey, tenantId)).status).toBe(403);
    expect((await trust(holder([tenantId]), acme.publicKey, null)).status).toBe(403);
    expect((await trust(holder([tenantId], ['CloudFit.CFS.Packages.Publishers:create']), acme.publicKey, tenantId)).status).toBe(201);
  });

  it('sign a package with openssl, and its version says who it was', async () => {
    const { tenantId, me } = await site();
    const pump = await zip('Pump');
    const fields = { tenantId, 'signature-1': acme.sign(pump) };
    expect(detailsOf(await upload(me, fields, pump))).toEqual([
      400,
      [
        'file-1',
        'package 1.zip: it is signed, but there is no publisher yet whom this tenant trusts; add the public key under Publishers.',
      ],
    ]);
    await trust(me, other.publicKey, tenantId, 'Other');
    expect(detailsOf(await upload(me, fields, pump))).toEqual([
      400,
      ['file-1', 'package 1.zip: no publisher whom this tenant trusts (Other) has made this signature for this file.'],
    ]);
    await trust(me, acme.publicKey, tenantId);
    const stored = await upload(me, fields, pump);
    expect([stored.status, stored.body.value?.[0]]).toMatchObject([201, { publisherName: 'Acme', comesWithServer: false }]);
    // Only the second of two files is signed; a signature is valid for its own file only.
    const [plain, signed] = [await zip('Plain'), await zip('Signed')];
    const two = await upload(me, { tenantId, 'signature-2': acme.sign(signed) }, plain, signed);
    expect(two.body.value?.map((row) => row['publisherName'])).toEqual([null, 'Acme']);
    expect(detailsOf(await upload(me, { tenantId, 'signature-1': acme.sign(signed) }, await zip('Another')))[1]).toEqual([
      'file-1',
      expect.stringContaining('has made this signature for this file'),
    ]);
  });

  it('are told what is wrong with a signature', async () => {
    const { tenantId, me } = await site();
    await trust(me, acme.publicKey, tenantId);
    const pump = await zip('Pump');
    expect(detailsOf(await upload(me, { tenantId, 'signature-1': 'QUJD' }, pump))).toEqual([
      400,
      ['signature-1', 'package 1.zip: The signature is not an Ed25519 signature in base64: it has 3 bytes instead of 64.'],
    ]);
    expect(detailsOf(await upload(me, { tenantId, 'signature-2': acme.sign(pump) }, pump))).toEqual([
      400,
      ['signature-2', 'This signature belongs to no file. Send file-2 too, or leave the signature out.'],
    ]);
  });

  it('of one tenant mean nothing to another, those of every tenant to all', async () => {
    const [one, two] = [await site(), await site()];
    await trust(one.me, acme.publicKey, one.tenantId);
    const pump = await zip('Pump');
    const signature = acme.sign(pump);
    expect(detailsOf(await upload(two.me, { tenantId: two.tenantId, 'signature-1': signature }, pump))[0]).toBe(400);
    expect(detailsOf(await upload(everything, { 'signature-1': signature }, pump))[1]).toEqual([
      'file-1',
      expect.stringContaining('whom every tenant trusts'),
    ]);
    const shared = openPublisher(join(folder, 'shared'));
    expect((await trust(everything, shared.publicKey, null, 'Shared')).status).toBe(201);
    for (const { me, tenantId } of [one, two])
      expect((await upload(me, { tenantId, 'signature-1': shared.sign(pump) }, pump)).status).toBe(201);
    const names = (await world.call(two.me, 'GET', '/v1/publishers')).body.value?.map((row) => row['name']);
    expect(names).toEqual(['Shared']);
  });

  it('are demanded at the upload where a tenant takes nothing else', async () => {
    const { tenantId, me } = await site();
    expect((await world.call(me, 'POST', `/v1/tenants/${tenantId}`, { onlyTrustedPublishers: true })).status).toBe(200);
    expect(detailsOf(await upload(me, { tenantId }, await zip('Pump')))).toEqual([
      400,
      ['file-1', 'package 1.zip: this tenant takes only packages that a trusted publisher has signed; send the signature with it.'],
    ]);
  });
});
