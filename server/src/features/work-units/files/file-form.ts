/** What a file is, by its bytes: its name and the headers of the request only say what it should be. */
import { open } from 'node:fs/promises';
import { fileEndings, formOfName, isImage, noteFileLimits, thumbnailSide, type FileForm } from '@cloudfit/contract/note-files.ts';

const signatures: Readonly<Record<Exclude<FileForm, 'text'>, (head: string) => boolean>> = {
  png: (head) => head.startsWith('\x89PNG\r\n\x1a\n'),
  jpeg: (head) => head.startsWith('\xff\xd8\xff'),
  gif: (head) => head.startsWith('GIF87a') || head.startsWith('GIF89a'),
  webp: (head) => head.startsWith('RIFF') && head.startsWith('WEBP', 8),
  pdf: (head) => head.startsWith('%PDF-'),
  zip: (head) => head.startsWith('PK\x03\x04') || head.startsWith('PK\x05\x06'),
  gzip: (head) => head.startsWith('\x1f\x8b\x08'),
};

/** Bytes of a text that are looked at; a text has no zero byte, and those of other files come early. */
const headBytes = 65_536;

async function headOf(path: string): Promise<Buffer> {
  const handle = await open(path, 'r');
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(headBytes), 0, headBytes, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}

interface LookedAt {
  form: FileForm;
  contentType: string;
  thumbnail: Buffer | null;
}

/** The content type of an answer: that of an image, so that a page can show it; of other files none that a browser would render. */
const contentTypeOf = (form: FileForm): string => (isImage(form) ? `image/${form}` : 'application/octet-stream');

/** Returns the small form of an image, without its metadata; throws if it cannot be decoded. */
async function smallImage(path: string): Promise<Buffer> {
  // Loaded with the first image: it brings a library of 17 MB.
  const { default: sharp } = await import('sharp');
  return sharp(path, { limitInputPixels: noteFileLimits.pixels, failOn: 'error' })
    .autoOrient()
    .resize(thumbnailSide, thumbnailSide, { fit: 'inside', withoutEnlargement: true })
    .webp({ quality: 82 })
    .toBuffer();
}

/** Returns what the stored file at `path` is, or why a note does not take it. */
export async function lookAtFile(name: string, path: string): Promise<LookedAt | string> {
  const form = formOfName(name);
  if (form === undefined) return `${name} is of a type that notes do not take; put it into a zip. They take: ${fileEndings.join(', ')}.`;
  const head = await headOf(path);
  const fits = form === 'text' ? !head.includes(0) : signatures[form](head.toString('latin1', 0, 16));
  if (!fits) return `${name} is not what its name says. Please check the file.`;
  if (!isImage(form)) return { form, contentType: contentTypeOf(form), thumbnail: null };
  try {
    return { form, contentType: contentTypeOf(form), thumbnail: await smallImage(path) };
  } catch {
    return `${name} is no image that can be shown: it is damaged or too large. Please check the file, or put it into a zip.`;
  }
}
