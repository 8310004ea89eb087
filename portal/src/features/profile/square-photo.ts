/** Makes a photo small and square in the browser, which also removes metadata such as place and camera. */
import { storedPhoto } from '@cloudfit/contract/photos.ts';

const { side, quality } = storedPhoto;

/** Base64 of a JPEG with the middle of the image. Throws when the browser cannot read the file. */
export async function squarePhoto(file: Blob): Promise<string> {
  const image = await createImageBitmap(file, { imageOrientation: 'from-image' });
  const cut = Math.min(image.width, image.height);
  const canvas = document.createElement('canvas');
  canvas.width = side;
  canvas.height = side;
  const context = canvas.getContext('2d');
  if (!context) throw new Error('This browser has no canvas.');
  // JPEG has no transparency: without a background, transparent pixels become black.
  context.fillStyle = '#fff';
  context.fillRect(0, 0, side, side);
  context.imageSmoothingQuality = 'high';
  context.drawImage(image, (image.width - cut) / 2, (image.height - cut) / 2, cut, cut, 0, 0, side, side);
  image.close();
  return canvas.toDataURL('image/jpeg', quality / 100).replace(/^[^,]*,/, '');
}
