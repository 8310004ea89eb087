/** Limits of photos of people, which server and portal share. */
export const photoLimits = {
  bytes: 1_048_576,
  /** Width and height. */
  pixels: 4_096,
} as const;

/** The form in which a photo is stored: a square JPEG of this side in pixels, and of this quality (at most 100). */
export const storedPhoto = { side: 256, quality: 90 } as const;

/** The types of images that are accepted. The bytes decide the type, not the sender's claim. */
export const photoTypes = ['image/jpeg', 'image/png', 'image/webp'] as const;

/** The address of a photo. It names the content, so that browsers keep the answer for good. */
export function photoAddress(personId: string, digest: string): string {
  return `/v1/people/${personId}/photo?v=${digest}`;
}
