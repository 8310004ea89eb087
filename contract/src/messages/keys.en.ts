/** Texts of the list of keyboard shortcuts. */
export const keysTexts = {
  title: 'Keyboard shortcuts',
  search: 'Focus the search',
  create: 'Create',
  palette: 'Go anywhere, create, switch tenant',
  move: 'Walk the rows',
  open: 'Open the row',
  select: 'Select the row',
  close: 'Close the panel or dialog',
  save: 'Save the form',
  help: 'Show this list',
  theme: 'Switch between light and dark',
  anywhere: 'Anywhere',
  screens: 'Go to a screen',
  lists: 'In a list',
  panels: 'In a panel',
} as const;
