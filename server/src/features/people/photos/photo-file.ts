/** Whether bytes are a photo that may be stored and served: only the bytes count, never a name or a header. */
import { photoLimits } from '@cloudfit/contract/photos.ts';

export interface PhotoFile {
  content: Buffer;
  contentType: string;
}

/** Formats that are recognised by their signature. Other formats, above all SVG, are never parsed. */
const signatures: readonly { contentType: string; type: string; fits: (head: string) => boolean }[] = [
  { contentType: 'image/jpeg', type: 'jpg', fits: (head) => head.startsWith('\xff\xd8\xff') },
  { contentType: 'image/png', type: 'png', fits: (head) => head.startsWith('\x89PNG\r\n\x1a\n') },
  { contentType: 'image/webp', type: 'webp', fits: (head) => head.startsWith('RIFF') && head.slice(8, 12) === 'WEBP' },
];

const wrongType = 'The file is not a JPEG, PNG or WebP image.';

async function sizeOf(content: Buffer): Promise<{ width: number; height: number; type?: string | undefined } | undefined> {
  const { imageSize } = await import('image-size');
  try {
    return imageSize(content);
  } catch {
    return undefined;
  }
}

/** Returns the photo, or why these bytes are not one. */
export async function readPhoto(content: Buffer): Promise<PhotoFile | string> {
  if (content.length > photoLimits.bytes) return `The photo is larger than ${photoLimits.bytes / 1_048_576} MiB.`;
  const head = content.toString('latin1', 0, 12);
  const format = signatures.find(({ fits }) => fits(head));
  const size = format && (await sizeOf(content));
  if (!format || size?.type !== format.type || !(size.width > 0 && size.height > 0)) return wrongType;
  const { pixels } = photoLimits;
  if (size.width > pixels || size.height > pixels)
    return `The photo has ${size.width} x ${size.height} pixels; at most ${pixels} x ${pixels} are taken.`;
  return { content, contentType: format.contentType };
}
