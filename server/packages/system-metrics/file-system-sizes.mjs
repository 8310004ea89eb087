import { spawn } from 'node:child_process';
import { stat, statfs } from 'node:fs/promises';
import { parseSizes } from '@cloudfit/contract/machine/file-systems.ts';

const limitMs = 5_000;

/**
 * Asks by another process, because a server that does not answer blocks whoever asks about its files, even a process that is
 * killed. That process is left to itself then.
 */
function remoteSizes(path) {
  return new Promise((resolve) => {
    const child = spawn('stat', ['-f', '-c', '%S %b %f %a %c %d', '--', path], { stdio: ['ignore', 'pipe', 'pipe'] });
    let [output, errors] = ['', ''];
    const end = (result) => {
      clearTimeout(timer);
      resolve(result);
    };
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      child.stdout.destroy();
      child.stderr.destroy();
      child.unref();
      end({ problem: `no answer within ${limitMs / 1_000} s` });
    }, limitMs);
    child.stdout.on('data', (part) => (output += part));
    child.stderr.on('data', (part) => (errors += part));
    child.on('error', (error) => end({ problem: `the program stat cannot be started: ${error.code}` }));
    child.on('close', (code) => {
      const sizes = code === 0 ? parseSizes(output) : undefined;
      end(sizes ? { sizes } : { problem: errors.trim().split(': ').at(-1) || 'stat gives no answer' });
    });
  });
}

/** Returns the path that stands for a file system, with its sizes, or with the reason why there are none. */
export async function sizesOf({ paths, isRemote }) {
  if (isRemote) return { path: paths[0], ...(await remoteSizes(paths[0])) };
  for (const path of paths) {
    try {
      if (!(await stat(path)).isDirectory()) continue;
      return { path, sizes: await statfs(path) };
    } catch (error) {
      return { path, problem: error.code };
    }
  }
  // Only single files of it can be seen: it belongs to the host of this container.
  return { path: paths[0] };
}
