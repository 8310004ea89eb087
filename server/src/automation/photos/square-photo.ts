/** Makes a photo from an identity provider as small and square as the portal makes uploaded ones, without its metadata. */
import { photoLimits, storedPhoto } from '@cloudfit/contract/photos.ts';
import type { PhotoFile } from '../../features/people/photos/photo-file.ts';

/** A JPEG with the middle of the photo. Throws for bytes that only look like an image. */
export async function squarePhoto({ content }: PhotoFile): Promise<PhotoFile> {
  // Loaded with the first photo: it brings a library of 17 MB, which a server without such a provider never needs.
  const { default: sharp } = await import('sharp');
  const { side, quality } = storedPhoto;
  const small = await sharp(content, { limitInputPixels: photoLimits.pixels ** 2 })
    .autoOrient()
    .resize(side, side, { fit: 'cover' })
    // JPEG has no transparency: without a background, transparent pixels become black.
    .flatten({ background: '#fff' })
    .jpeg({ quality })
    .toBuffer();
  return { content: small, contentType: 'image/jpeg' };
}
