/** Lists that take the rows of a spreadsheet: which columns they have, and by which headings a column is recognized. */
import type { Field, Resource } from '../resource.ts';
import { communicationContacts } from '../resources/communication-contacts.ts';
import { devices } from '../resources/devices.ts';
import { locations } from '../resources/locations.ts';
import { people } from '../resources/people.ts';
import { workUnitCategories } from '../resources/work-unit-categories.ts';

export const importLists = [
  'devices',
  'locations',
  'people',
  'workUnitCategories',
  'communicationContacts',
  'holidays',
  'tickets',
] as const;
export type ImportList = (typeof importLists)[number];

export interface ListColumn {
  name: string;
  /** The field that the cells set; absent for columns that no field of the resource has. */
  field?: Field;
  /** Headings of other programs, in English and German. */
  words: readonly string[];
  /** Without it no row can be read. */
  required?: boolean;
  /** Whether a row may be recognized by it. */
  key?: boolean;
  /** Several columns of a file may be it. */
  several?: boolean;
}

/** Headings by which people call fields in their spreadsheets. */
const words: Readonly<Record<string, readonly string[]>> = {
  description: ['comment', 'notes', 'kommentar', 'bemerkung', 'notiz'],
  tags: ['labels', 'tag', 'schlagworte', 'schlagwörter', 'etiketten'],
  locationId: ['site', 'standort', 'ort', 'place'],
  subscriptionId: ['abonnement', 'group', 'gruppe'],
  parentDeviceId: ['parent', 'parent device', 'uplink', 'übergeordnetes gerät'],
  operatingSystemId: ['os', 'betriebssystem', 'system'],
  deviceTypeId: ['type', 'typ', 'gerätetyp', 'kind', 'art'],
  enabled: ['active', 'aktiv', 'aktiviert'],
  address1: ['address', 'street', 'adresse', 'straße', 'anschrift', 'street address'],
  city: ['town', 'stadt', 'ort'],
  state: ['region', 'bundesland', 'province', 'kanton'],
  country: ['land'],
  postalCode: ['zip', 'zip code', 'plz', 'postleitzahl', 'postcode'],
  coordinates: ['koordinaten', 'gps', 'geo', 'latlng'],
  userName: ['login', 'user', 'username', 'upn', 'user principal name', 'benutzername', 'anmeldename', 'benutzer'],
  email: ['mail', 'e mail', 'email address', 'e mail address', 'mailadresse', 'e mail adresse'],
  phone: ['telephone', 'telefon', 'mobile', 'tel', 'telefonnummer'],
  language: ['sprache', 'locale'],
  workUnitTypeId: ['type', 'typ', 'art'],
};

/** Headings of the name, by what the list is of. */
const nameWords: Readonly<Partial<Record<ImportList, readonly string[]>>> = {
  devices: [
    'hostname',
    'host',
    'host name',
    'computer',
    'computername',
    'computer name',
    'device',
    'device name',
    'gerät',
    'gerätename',
    'rechner',
    'bezeichnung',
  ],
  locations: ['location', 'site', 'site name', 'standort', 'ort', 'place', 'bezeichnung', 'title'],
  people: ['full name', 'display name', 'displayname', 'anzeigename', 'vollständiger name', 'person'],
  workUnitCategories: ['category', 'kategorie', 'service', 'bezeichnung', 'title'],
  communicationContacts: ['contact', 'kontakt', 'full name', 'ansprechpartner'],
};

const resourceOf: Readonly<Partial<Record<ImportList, Resource>>> = {
  devices,
  locations,
  people,
  workUnitCategories,
  communicationContacts,
};

/** The entity whose rows the list has; undefined for holidays, which are a field of a calendar, and tickets, which become work units. */
export const resourceOfList = (list: ImportList): Resource | undefined => resourceOf[list];

const keysOf: Readonly<Partial<Record<ImportList, readonly string[]>>> = {
  devices: ['name', 'deviceId'],
  locations: ['name', 'locationId'],
  people: ['userName', 'email'],
  workUnitCategories: ['name', 'workUnitCategoryId'],
  communicationContacts: ['email', 'communicationContactId'],
};

const isWritten = (name: string, field: Field, key: string): boolean =>
  name !== 'tenantId' && (name === key || (field.write !== 'never' && field.kind !== 'json'));

const tenant: ListColumn = { name: 'tenant', words: ['tenant name', 'mandant', 'customer', 'kunde', 'tenant', 'client'] };

const others: Readonly<Record<ImportList, readonly ListColumn[]>> = {
  devices: [tenant],
  locations: [tenant],
  people: [
    { name: 'firstName', words: ['first name', 'given name', 'vorname'] },
    { name: 'lastName', words: ['last name', 'surname', 'family name', 'nachname', 'familienname'] },
    { name: 'permissionSet', words: ['role', 'permission set', 'rolle', 'rechte', 'berechtigungssatz', 'grant', 'permissions'] },
    tenant,
  ],
  workUnitCategories: [{ name: 'subcategory', words: ['sub category', 'unterkategorie', 'need', 'subcategories'] }, tenant],
  communicationContacts: [tenant],
  holidays: [
    { name: 'calendar', words: ['calendar', 'kalender', 'working calendar', 'arbeitskalender'] },
    { name: 'date', words: ['date', 'datum', 'day', 'tag', 'holiday', 'feiertag'], required: true },
  ],
  tickets: [
    {
      name: 'number',
      words: [
        'number',
        'id',
        'key',
        'ticket',
        'ticket number',
        'ticket id',
        'ticket no',
        'issue key',
        'nummer',
        'ticketnummer',
        'vorgangsnummer',
        'case number',
        'incident number',
      ],
      required: true,
      key: true,
    },
    {
      name: 'title',
      words: ['title', 'subject', 'summary', 'titel', 'betreff', 'short description', 'zusammenfassung', 'name', 'thema'],
      required: true,
    },
    { name: 'description', words: ['description', 'body', 'beschreibung', 'details', 'message', 'text', 'nachricht'] },
    { name: 'state', words: ['state', 'status', 'current status', 'zustand', 'ticket status'] },
    { name: 'priority', words: ['priority', 'severity', 'priorität', 'prio', 'urgency', 'dringlichkeit'] },
    {
      name: 'created',
      words: [
        'created',
        'created at',
        'opened',
        'opened at',
        'opening date',
        'date created',
        'creation date',
        'created date',
        'erstellt',
        'erstellt am',
        'angelegt',
        'eröffnet',
        'eröffnet am',
        'erstelldatum',
        'created time',
        'datum',
        'date',
      ],
    },
    {
      name: 'closed',
      words: [
        'closed',
        'closed at',
        'resolved',
        'resolved at',
        'closed date',
        'solved at',
        'close date',
        'geschlossen',
        'geschlossen am',
        'gelöst',
        'gelöst am',
        'closed time',
        'resolution date',
        'resolved time',
        'erledigt am',
      ],
    },
    {
      name: 'updated',
      words: [
        'updated',
        'updated at',
        'last updated',
        'last update',
        'modified',
        'last update time',
        'geändert',
        'aktualisiert',
        'zuletzt geändert',
      ],
    },
    {
      name: 'requester',
      words: [
        'requester',
        'from',
        'reporter',
        'customer',
        'requester name',
        'melder',
        'kunde',
        'anforderer',
        'contact',
        'caller',
        'caller id',
        'requester requester',
        'requested by',
        'full name',
      ],
    },
    {
      name: 'requesterEmail',
      words: ['requester email', 'from email', 'customer email', 'reporter email', 'email', 'mail', 'e mail des melders', 'contact email'],
    },
    { name: 'requesterPhone', words: ['requester phone', 'phone', 'telefon', 'telefon des melders', 'contact phone'] },
    {
      name: 'assignee',
      words: [
        'assignee',
        'assigned to',
        'assigned to technician',
        'owner',
        'agent',
        'agent assigned',
        'agent email',
        'zugewiesen',
        'zugewiesen an',
        'bearbeiter',
        'assignee email',
      ],
    },
    { name: 'group', words: ['group', 'team', 'assignment group', 'team assigned', 'department', 'queue', 'gruppe', 'abteilung'] },
    { name: 'category', words: ['category', 'kategorie', 'help topic', 'topic', 'component', 'type', 'typ', 'issue type'] },
    { name: 'resolution', words: ['resolution', 'solution', 'lösung', 'close notes', 'resolution notes'] },
    { name: 'url', words: ['url', 'link', 'adresse', 'ticket url'] },
    {
      name: 'comments',
      words: [
        'comments',
        'comment',
        'notes',
        'work notes',
        'comments and work notes',
        'additional comments',
        'kommentare',
        'kommentar',
        'notizen',
        'verlauf',
        'thread',
      ],
      several: true,
    },
  ],
};

/** The columns that rows of the list may have. */
export function columnsOfList(list: ImportList): readonly ListColumn[] {
  const resource = resourceOf[list];
  const keys = keysOf[list] ?? [];
  const fields = resource
    ? Object.entries(resource.fields).flatMap(([name, field]): ListColumn[] =>
        isWritten(name, field, resource.key)
          ? [
              {
                name,
                field,
                words: name === 'name' ? (nameWords[list] ?? []) : name === resource.key ? [] : (words[name] ?? []),
                ...(keys.includes(name) ? { key: true } : {}),
              },
            ]
          : [],
      )
    : [];
  return [...fields, ...others[list]];
}

/** The columns by which rows may be recognized, the usual one first. */
export const keysOfList = (list: ImportList): readonly string[] =>
  keysOf[list] ?? columnsOfList(list).flatMap(({ name, key }) => (key ? [name] : []));

/** Lines of a file in one import. */
export const listRowsMax = 20_000;

export const dateOrders = ['day-first', 'month-first'] as const;
export type DateOrder = (typeof dateOrders)[number];
export const delimiters = [',', '|', '\t', ';'] as const;
