/** German texts of the package catalog. */
import type * as english from './packages.en.ts';
import type { Texts } from './texts.ts';

export const packageTexts: Texts<typeof english.packageTexts> = {
  emptyText: 'Laden Sie ein Zip mit einem Manifest hoch, und seine Aufgaben können auf Geräten laufen.',
  builtIn: 'Eingebaut',
  builtInTitle: 'Gehört zum Server, der es aktualisiert.',
  edit: 'Bearbeiten',
  installed: 'Installiert auf',
  installedOn: (name, count) => `${name}: installiert auf ${count === '1' ? '1 Gerät' : `${count} Geräten`}`,
  rollOut: {
    start: 'Ausrollen',
    noVersion: 'Dieses Softwarepaket hat keine Version, die installiert werden kann.',
    noDevices: 'Kein aktives Gerät des gewählten Abonnements läuft unter einem Betriebssystem dieses Softwarepakets.',
  },
  create: 'Softwarepaket erstellen',
  anySystem: 'Alle',
  systemsHelp: 'Nichts angekreuzt: alle Betriebssysteme.',
  tabs: { form: 'Softwarepaket bearbeiten', operations: 'Aufgaben', versions: 'Versionen' },

  operations: {
    label: 'Aufgaben',
    type: 'Typ',
    frequencies: 'Häufigkeiten',
    interval: 'Standardintervall',
    parameters: 'Parameter',
    parametersOf: (operation) => `Parameter von ${operation}`,
    count: (n) => `${n} Parameter`,
    none: 'Keine Aufgaben',
    noneText: 'Das Manifest einer Version sagt, was das Softwarepaket kann.',
    noParameters: 'Diese Aufgabe hat keine Parameter.',
  },
  parameter: { name: 'Name', description: 'Beschreibung', required: 'Erforderlich', source: 'Quelle', default: 'Standardwert' },

  versions: {
    label: 'Versionen',
    version: 'Version',
    name: 'Bezeichnung',
    status: 'Status',
    created: 'Erstellt',
    size: 'Größe',
    signature: 'Signatur',
    signed: 'Signiert',
    unsigned: 'Fehlt',
    signedTitle: 'Von diesem Server signiert. Ohne seine Signatur installieren Agenten keine Version.',
    unsignedTitle: 'Agenten lehnen diese Version ab. Der Server signiert sie bei seinem nächsten Start.',
    publisherTitle: (name) => `Vom Herausgeber ${name} und von diesem Server signiert.`,
    notTrusted: (name) => `Nicht vertraut: ${name}`,
    notTrustedTitle: (name) => `Von ${name} signiert; diesem Schlüssel wird nicht mehr vertraut. Agenten lehnen die Installation ab.`,
    none: 'Noch keine Versionen',
    noneText: 'Laden Sie ein Zip mit einem Manifest hoch.',
    installHint:
      '„Ausrollen“ im Menü des Softwarepakets installiert es auf vielen Geräten; oder wählen Sie Geräte aus oder aktualisieren Sie die veralteten im Versionsbericht.',
    toDevices: 'Geräte',
    toReport: 'Versionsbericht',
    delete: 'Version des Softwarepakets löschen',
    deleteOne: (version) => `Version ${version} löschen`,
    deleteQuestion: (version) => `Möchten Sie die Version ${version} wirklich löschen? Dies kann nicht rückgängig gemacht werden.`,
    deleted: 'Die Version des Softwarepakets wurde gelöscht.',
  },

  publishers: {
    title: 'Herausgeber',
    emptyText:
      'Fügen Sie den öffentlichen Schlüssel eines Herausgebers hinzu, und seine Signatur auf Softwarepaketen wird beim Hochladen und auf jedem Gerät geprüft.',
    tenantHelp: 'Global: Alle Mandanten vertrauen ihm.',
    remove: 'Herausgeber entfernen',
    removed: (name) => `${name} wird nicht mehr vertraut.`,
    removeQuestion: (name) =>
      `${name} nicht mehr vertrauen? Was Geräte installiert haben, bleibt; kein Gerät installiert mehr etwas anderes, das ${name} signiert hat.`,
  },

  mibs: {
    title: 'MIBs',
    emptyText:
      'Laden Sie die MIBs Ihrer Switches, Drucker und Stromversorgungen hoch, und SNMP-Aufgaben können deren Objekte beim Namen nennen, und Traps haben ihre Namen.',
    choose: 'Datei wählen',
    tooLarge: (file) => `${file} hat mehr als 1 MB.`,
    remove: 'MIB entfernen',
    removed: (name) => `${name} entfernt.`,
    removeQuestion: (name) => `${name} entfernen? SNMP-Aufgaben, die ihre Objekte nennen, schlagen dann fehl.`,
    words: 'snmp namen objekte hochladen switch drucker usv oid',
  },

  upload: {
    open: 'Softwarepaket hochladen',
    title: 'Version eines Softwarepakets hochladen',
    text: 'Das Manifest im Zip nennt das Softwarepaket. Eines, das es noch nicht gibt, wird erstellt.',
    sample: 'Beispiel herunterladen',
    sampleFailed: 'Beim Herunterladen des Beispiels ist ein Problem aufgetreten. Bitte versuchen Sie es erneut.',
    label: 'Bezeichnung',
    labelHelp: 'Sagt, was neu ist.',
    labelRequired: 'Die Bezeichnung ist erforderlich.',
    files: 'Dateien',
    filesHelp: (max) =>
      `Zips, bis zu ${max}, jedes mit seiner .sig, wenn ein Herausgeber es signiert hat. Sie können hierher gezogen werden.`,
    fileRequired: 'Die Datei ist erforderlich.',
    tooMany: (max) => `Höchstens ${max} Dateien auf einmal.`,
    zipMissing: (file) => `${file} ist die Signatur einer Datei, die nicht hier ist: ${file.replace(/\.sig$/i, '')}.`,
    tenant: 'Mandant',
    tenantHelp: 'Global: für alle Mandanten.',
    remove: (file) => `${file} entfernen`,
    start: 'Hochladen',
    stop: 'Hochladen anhalten',
    progress: 'Hochladen',
    sending: (percent) => `${percent} %`,
    checking: 'Die Dateien werden geprüft …',
    failed: 'Beim Hochladen ist ein Problem aufgetreten. Bitte versuchen Sie es erneut.',
    done: (versions) => (versions.length === 1 ? `Version ${versions[0]} hochgeladen.` : `${versions.length} Versionen hochgeladen.`),
  },
};
