import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { en } from '@cloudfit/contract/messages/en.ts';
import { seeAsHeader } from '@cloudfit/contract/see-as.ts';
import * as connection from './connection.ts';
import * as session from './session.ts';
import { upload } from './upload.ts';

/** The requests of the page, as the browser makes them. */
class FakeRequest {
  static all: FakeRequest[] = [];
  method = '';
  headers: Record<string, string> = {};
  sent: unknown;
  status = 0;
  responseText = '';
  upload: { onprogress?: (event: { lengthComputable: boolean; loaded: number; total: number }) => void } = {};
  onload?: () => void;
  onerror?: () => void;
  onabort?: () => void;
  constructor() {
    FakeRequest.all.push(this);
  }
  open(method: string, path: string) {
    this.method = `${method} ${path}`;
  }
  setRequestHeader(name: string, value: string) {
    this.headers[name] = value;
  }
  send(form: unknown) {
    this.sent = form;
  }
  abort() {
    this.onabort?.();
  }
  answer(status: number, body: string) {
    [this.status, this.responseText] = [status, body];
    this.onload?.();
  }
}

const form = new FormData();
let stopping = new AbortController();
let percents: number[] = [];
const start = () => upload('/v1/packages', form, { signal: stopping.signal, onProgress: (percent) => percents.push(percent) });
const request = async (at: number): Promise<FakeRequest> => {
  await expect.poll(() => FakeRequest.all.length).toBeGreaterThan(at);
  return FakeRequest.all[at] ?? new FakeRequest();
};

beforeEach(() => {
  [FakeRequest.all, stopping, percents] = [[], new AbortController(), []];
  vi.stubGlobal('XMLHttpRequest', FakeRequest);
  vi.spyOn(session, 'accessToken').mockResolvedValue('secret');
  vi.spyOn(session, 'renew').mockResolvedValue(true);
  vi.spyOn(connection, 'noteSilence').mockReturnValue();
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

it('sends a form as the person, tells how much of it is sent, and returns the answer', async () => {
  const answered = start();
  const sent = await request(0);
  for (const loaded of [0, 333, 1_000]) sent.upload.onprogress?.({ lengthComputable: true, loaded, total: 1_000 });
  sent.upload.onprogress?.({ lengthComputable: false, loaded: 1, total: 0 });
  expect(percents).toEqual([0, 33, 100]);
  sent.answer(201, '{"id":"p1"}');
  expect(await answered).toEqual({ id: 'p1' });
  expect([sent.method, sent.sent]).toEqual(['POST /v1/packages', form]);
  expect(sent.headers).toEqual({ accept: 'application/json', authorization: 'Bearer secret' });
});

it('says whom an administrator sees the portal as, so that the server refuses it', async () => {
  sessionStorage.setItem('seeAs', JSON.stringify({ seeAsId: 's1', name: 'Ada', expires: '2099-01-01T00:00:00Z' }));
  void start().catch(() => undefined);
  expect((await request(0)).headers).toMatchObject({ [seeAsHeader]: 's1' });
  sessionStorage.clear();
});

it('sends no token without one, and the form again with a new one', async () => {
  vi.mocked(session.accessToken).mockResolvedValueOnce(undefined);
  const answered = start();
  const first = await request(0);
  expect(first.headers).toEqual({ accept: 'application/json' });
  first.answer(401, '');
  const second = await request(1);
  expect([second.headers['authorization'], second.sent]).toEqual(['Bearer secret', form]);
  second.answer(200, '{}');
  expect(await answered).toEqual({});
});

it('fails in the words of the server, or by the network', async () => {
  const refused = start().catch((error: unknown) => error);
  (await request(0)).answer(400, '{"error":{"code":"ValidationFailed","message":"No zip."}}');
  expect(await refused).toMatchObject({ status: 400, message: 'No zip.' });
  expect(connection.noteSilence).not.toHaveBeenCalled();
  const lost = start().catch((error: unknown) => error);
  (await request(1)).onerror?.();
  expect(await lost).toMatchObject({ status: 0, message: en.failure.network });
  expect(connection.noteSilence).toHaveBeenCalledTimes(1);
});

it('sends nothing when it is told to stop while the sign-in is renewed', async () => {
  vi.mocked(session.accessToken).mockImplementationOnce(() => {
    stopping.abort();
    return Promise.resolve('renewed');
  });
  await expect(start()).rejects.toMatchObject({ name: 'AbortError' });
  expect(FakeRequest.all.filter(({ sent }) => sent !== undefined)).toEqual([]);
});

it('stops when it is told to', async () => {
  const stopped = start().catch((error: unknown) => error);
  await request(0);
  stopping.abort();
  expect(await stopped).toMatchObject({ name: 'AbortError' });
});
