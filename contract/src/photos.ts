/** What server and portal share about photos of people: limits, the stored form and the address. */
export const photoLimits = {
  bytes: 1_048_576,
  /** The maximum width and height, in pixels. */
  pixels: 4_096,
} as const;

/** The form of stored photos: square JPEGs, with this side in pixels and this JPEG quality (of 100). */
export const storedPhoto = { side: 256, quality: 90 } as const;

/** The accepted types of images. The server determines the type from the bytes, not from the request. */
export const photoTypes = ['image/jpeg', 'image/png', 'image/webp'] as const;

/** Returns the address of a photo. It contains the digest of the photo, so that browsers may cache the answer forever. */
export function photoAddress(personId: string, digest: string): string {
  return `/v1/people/${personId}/photo?v=${digest}`;
}
