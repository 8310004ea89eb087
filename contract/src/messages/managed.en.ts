/** Texts about rows of the configuration that are managed in Git. */
export const managedTexts = {
  managed: 'Managed in Git',
  from: (file: string, note: string | null) => (note ? `Applied from ${file} (${note})` : `Applied from ${file}`),
  open: 'What is changed here lasts until the folder is applied again.',
  protected: 'It is protected: edit its file, and apply the folder.',
};
