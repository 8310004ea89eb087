/** Texts about rows of the configuration that are managed in Git. */
export const managedTexts = {
  managed: 'Managed in Git',
  from: (source: string, note: string | null) => (note ? `Applied from ${source} (${note})` : `Applied from ${source}`),
  open: 'What is changed here lasts until the folder is applied again.',
  protected: 'It is protected: change its file and apply the folder.',
};
