import { readdir, readFile, readlink } from 'node:fs/promises';
import { kernelFilesOf } from '@cloudfit/contract/machine/kernel-files.ts';

/** The tables of this machine's kernel. */
export const kernelFiles = kernelFilesOf({ readFile, readdir, readlink });
