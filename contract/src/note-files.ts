/** Which files the notes of a work unit take. Server and portal share this; the server looks at the bytes too. */

/** The forms of content that are told apart by their bytes. */
export type FileForm = 'png' | 'jpeg' | 'gif' | 'webp' | 'pdf' | 'zip' | 'gzip' | 'text';

const formsByEnding: Readonly<Record<string, FileForm>> = {
  png: 'png',
  jpg: 'jpeg',
  jpeg: 'jpeg',
  gif: 'gif',
  webp: 'webp',
  pdf: 'pdf',
  zip: 'zip',
  docx: 'zip',
  xlsx: 'zip',
  pptx: 'zip',
  odt: 'zip',
  ods: 'zip',
  gz: 'gzip',
  tgz: 'gzip',
  txt: 'text',
  log: 'text',
  md: 'text',
  csv: 'text',
  json: 'text',
  xml: 'text',
  yaml: 'text',
  yml: 'text',
  conf: 'text',
  ini: 'text',
  eml: 'text',
};

/** The endings of names of files that notes take, for the dialog that chooses files and for messages. */
export const fileEndings: readonly string[] = Object.keys(formsByEnding);

/** Returns the form that the name of a file promises; undefined for names of files that notes do not take. */
export function formOfName(name: string): FileForm | undefined {
  const ending = /\.([a-z0-9]+)$/i.exec(name)?.[1]?.toLowerCase();
  return ending !== undefined && Object.hasOwn(formsByEnding, ending) ? formsByEnding[ending] : undefined;
}

export const isImage = (form: FileForm): boolean => ['png', 'jpeg', 'gif', 'webp'].includes(form);

/** Files that a unit may have, those of its customers among them, and pixels that an image may have: more than the camera of a phone makes. */
export const noteFileLimits = { perUnit: 500, fromCustomer: 50, pixels: 64_000_000 } as const;

/** The longest side in pixels of the small image in a note. */
export const thumbnailSide = 480;
