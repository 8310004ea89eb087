/** The MUI theme: it refers to the tokens of `tokens.css`, so that switching the theme changes one attribute. */
import { createTheme } from '@mui/material/styles';

/** A token in the form of MUI's palette. */
function color(name: string, on = 'var(--on-accent)') {
  const value = `var(--${name})`;
  return { main: value, light: value, dark: value, contrastText: on };
}

export const theme = createTheme({
  // The tokens set the colour scheme: MUI would make calendars and scrollbars of a dark page light.
  cssVariables: { nativeColor: true, disableCssColorScheme: true },
  breakpoints: { values: { xs: 0, sm: 768, md: 1024, lg: 1266, xl: 1536 } },
  palette: {
    primary: { ...color('accent'), dark: 'var(--accent-hover)' },
    secondary: color('muted'),
    error: color('danger', 'var(--surface)'),
    warning: color('warn', 'var(--surface)'),
    info: color('info', 'var(--surface)'),
    success: color('ok', 'var(--surface)'),
    text: { primary: 'var(--text)', secondary: 'var(--muted)', disabled: 'var(--faint)' },
    background: { default: 'var(--bg)', paper: 'var(--raised)' },
    divider: 'var(--line)',
    action: {
      hover: 'var(--hover)',
      selected: 'var(--selected)',
      active: 'var(--muted)',
      disabled: 'var(--faint)',
      disabledBackground: 'var(--line)',
      focus: 'var(--hover)',
    },
  },
  typography: {
    fontFamily: 'var(--font)',
    fontSize: 13,
    htmlFontSize: 16,
    button: { textTransform: 'none', fontWeight: 500 },
    body1: { fontSize: 13, lineHeight: '20px' },
    body2: { fontSize: 13, lineHeight: '20px' },
  },
  shape: { borderRadius: 7 },
  transitions: {
    duration: { shortest: 80, shorter: 100, short: 120, standard: 140, complex: 160, enteringScreen: 120, leavingScreen: 90 },
  },
  components: {
    MuiButtonBase: { defaultProps: { disableRipple: true } },
    MuiPaper: { styleOverrides: { root: { backgroundImage: 'none' } } },
    MuiMenu: { styleOverrides: { paper: { boxShadow: 'var(--shadow)', borderRadius: 9, marginTop: 4 }, list: { padding: 4 } } },
    MuiPopover: { styleOverrides: { paper: { boxShadow: 'var(--shadow)', borderRadius: 9 } } },
    MuiMenuItem: {
      defaultProps: { dense: true },
      styleOverrides: { root: { fontSize: 13, minHeight: 30, padding: '4px 10px', borderRadius: 6, gap: 9 } },
    },
    // A dialog takes the focus only until one of its controls has it, so it shows no focus ring.
    MuiDialog: { styleOverrides: { paper: { boxShadow: 'var(--shadow)', borderRadius: 11, '&:focus-visible': { outline: 'none' } } } },
    MuiDialogTitle: { styleOverrides: { root: { fontSize: 15, fontWeight: 600, padding: '16px 20px 8px' } } },
    MuiDialogContent: { styleOverrides: { root: { padding: '4px 20px 12px' } } },
    MuiDialogActions: { styleOverrides: { root: { padding: '8px 20px 16px' } } },
    MuiAlert: { styleOverrides: { root: { fontSize: 13, padding: '3px 12px', borderRadius: 8, alignItems: 'center' } } },
  },
});
