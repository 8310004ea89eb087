/** A real Dovecot with one mailbox, for tests on machines that have it as root: its login processes change their user. */
import { execFileSync, spawn } from 'node:child_process';
import { chownSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeHostCertificate, opensslMissing } from '../openssl.ts';
import { freePort } from '../server-process.ts';

const program = '/usr/sbin/dovecot';
export const hasDovecot = existsSync(program) && process.getuid?.() === 0 && opensslMissing === undefined;

/** Of the account to which mails belong. */
const nobody = 65_534;

export interface Dovecot {
  tlsPort: number;
  startTlsPort: number;
  userName: string;
  password: string;
  /** PEM of the authority of its certificate, which is for `localhost`. */
  certificate: string;
  /** Puts a mail into the mailbox, as a mail server does. */
  deliver(mail: string | Buffer): void;
  /** The numbers of mails with and without the flag that they were read. */
  counts(): { read: number; unread: number };
  /** Removes all mails. */
  empty(): void;
  /** Gives the mailbox a new UIDVALIDITY, as a server does whose index was lost. */
  renumber(): void;
  stop(): Promise<void>;
  start(): Promise<void>;
  close(): Promise<void>;
}

/** With `tokens`, tokens of OAuth 2.0 are asked for at that address (RFC 7662). */
export async function startDovecot(tokens?: string): Promise<Dovecot> {
  const folder = mkdtempSync(join(tmpdir(), 'cloudfit-dovecot-'));
  makeHostCertificate(folder);
  const [tlsPort, startTlsPort] = [await freePort(), await freePort()];
  const home = join(folder, 'home');
  const mails = join(home, 'mail');
  for (const path of [home, mails, ...['cur', 'new', 'tmp'].map((name) => join(mails, name))]) {
    mkdirSync(path);
    chownSync(path, nobody, nobody);
  }
  writeFileSync(join(folder, 'users'), 'support:{PLAIN}pass word::::::\n', { mode: 0o644 });
  writeFileSync(
    join(folder, 'dovecot.conf'),
    `base_dir = ${folder}/run
state_dir = ${folder}/state
log_path = ${folder}/log
protocols = imap
listen = 127.0.0.1
ssl = required
ssl_cert = <${folder}/cert.pem
ssl_key = <${folder}/key.pem
disable_plaintext_auth = yes
first_valid_uid = 1
mail_location = maildir:${mails}
mail_fsync = never
${tokens === undefined ? '' : `auth_mechanisms = plain login xoauth2 oauthbearer\npassdb {\n  driver = oauth2\n  mechanisms = xoauth2 oauthbearer\n  args = ${folder}/oauth\n}\n`}passdb {
  driver = passwd-file
  args = ${folder}/users
}
userdb {
  driver = static
  args = uid=${nobody} gid=${nobody} home=${home}
}
service imap-login {
  inet_listener imap {
    port = ${startTlsPort}
  }
  inet_listener imaps {
    port = ${tlsPort}
    ssl = yes
  }
}
`,
  );
  if (tokens !== undefined)
    writeFileSync(
      join(folder, 'oauth'),
      `introspection_mode = post\nintrospection_url = ${tokens}\nusername_attribute = username\nactive_attribute = active\nactive_value = true\n`,
    );
  execFileSync('chmod', ['755', folder]);
  let child: ReturnType<typeof spawn> | undefined;
  let count = 0;

  async function start(): Promise<void> {
    child = spawn(program, ['-F', '-c', join(folder, 'dovecot.conf')], { stdio: 'ignore' });
    for (const end = Date.now() + 20_000; ; await sleep(50)) {
      const log = existsSync(join(folder, 'log')) ? readFileSync(join(folder, 'log'), 'utf8') : '';
      if (child.exitCode !== null || Date.now() > end) throw new Error(`Dovecot does not run: ${log}`);
      const open = await new Promise<boolean>((done) => {
        const socket = connect(tlsPort, '127.0.0.1', () => {
          socket.destroy();
          done(true);
        }).once('error', () => done(false));
      });
      if (open) return;
    }
  }
  async function stop(): Promise<void> {
    const running = child;
    child = undefined;
    if (!running || running.exitCode !== null) return;
    const ended = new Promise<void>((done) => running.once('exit', () => done()));
    running.kill('SIGTERM');
    await ended;
  }

  await start();
  return {
    tlsPort,
    startTlsPort,
    userName: 'support',
    password: 'pass word',
    certificate: readFileSync(join(folder, 'ca.pem'), 'utf8'),
    deliver: (mail) => {
      const name = `${Date.now()}.${process.pid}_${(count += 1)}.test`;
      writeFileSync(join(mails, 'tmp', name), mail);
      chownSync(join(mails, 'tmp', name), nobody, nobody);
      renameSync(join(mails, 'tmp', name), join(mails, 'new', name));
    },
    counts: () => {
      const names = [...readdirSync(join(mails, 'new')), ...readdirSync(join(mails, 'cur'))];
      const read = names.filter((name) => /:2,.*S/.test(name)).length;
      return { read, unread: names.length - read };
    },
    empty: () => {
      for (const part of ['new', 'cur'])
        for (const name of readdirSync(join(mails, part))) rmSync(join(mails, part, name), { force: true });
    },
    renumber: () => {
      for (const name of readdirSync(mails)) if (name.startsWith('dovecot')) rmSync(join(mails, name), { force: true, recursive: true });
    },
    start,
    stop,
    close: async () => {
      await stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
