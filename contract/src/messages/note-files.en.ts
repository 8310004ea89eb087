/** Texts of images and files in notes. */
export const noteFileTexts = {
  attach: 'Attach an image or file',
  uploading: (name: string, percent: number) => `${name}: ${percent} %`,
  failed: (name: string, reason: string) => `${name} was not uploaded: ${reason} Your text is still there.`,
  open: (name: string) => `Show ${name}`,
  download: 'Download',
  downloadOf: (name: string) => `Download ${name}`,
  downloadFailed: (name: string) => `${name} could not be downloaded. Please try again.`,
  deleteOf: (name: string) => `Delete ${name}`,
  deleteTitle: 'Delete this file?',
  deleteQuestion: (name: string) => `The content of ${name} is deleted for good. The note stays, and says who deleted it.`,
  deleted: (name: string) => `${name} was deleted.`,
  missing: (name: string) => `${name} (not available)`,
} as const;
