/** Words of the demo data: names of companies, people and places, and the roles of machines. */

export const places = [
  'Alder',
  'Birchfield',
  'Calder',
  'Dunmore',
  'Eastvale',
  'Fairhaven',
  'Glenrock',
  'Harrow',
  'Inverwick',
  'Juniper',
  'Kestrel',
  'Larkspur',
  'Marlow',
  'Northgate',
  'Oakridge',
  'Pinecrest',
  'Quarry Hill',
  'Riverside',
  'Stonebridge',
  'Thornbury',
  'Umberland',
  'Valemont',
  'Westbrook',
  'Yarrow',
];

export const industries = [
  'Water',
  'Logistics',
  'Hospitals',
  'Energy',
  'Foods',
  'Rail',
  'Bank',
  'Airports',
  'Insurance',
  'University',
  'Steel',
  'Telecom',
];

export const firstNames = [
  'Amara',
  'Bruno',
  'Chiara',
  'Daniel',
  'Elif',
  'Femi',
  'Grace',
  'Hiro',
  'Ines',
  'Jonas',
  'Katya',
  'Liam',
  'Mara',
  'Nadia',
  'Oskar',
  'Priya',
  'Quentin',
  'Rosa',
  'Samir',
  'Tessa',
];

export const lastNames = [
  'Abbott',
  'Bergman',
  'Castillo',
  'Dubois',
  'Eriksen',
  'Fischer',
  'Grant',
  'Haddad',
  'Ito',
  'Jansen',
  'Kowalski',
  'Lindqvist',
  'Moreau',
  'Novak',
  'Okafor',
  'Petrov',
  'Quinn',
  'Rossi',
  'Schmidt',
  'Tanaka',
];

/** City, country, coordinates. */
export const cities = [
  ['Frankfurt', 'Germany', '50.1109,8.6821'],
  ['Lyon', 'France', '45.7640,4.8357'],
  ['Utrecht', 'Netherlands', '52.0907,5.1214'],
  ['Manchester', 'United Kingdom', '53.4808,-2.2426'],
  ['Turin', 'Italy', '45.0703,7.6869'],
  ['Gothenburg', 'Sweden', '57.7089,11.9746'],
  ['Columbus', 'United States', '39.9612,-82.9988'],
  ['Denver', 'United States', '39.7392,-104.9903'],
  ['Toronto', 'Canada', '43.6532,-79.3832'],
  ['Krakow', 'Poland', '50.0647,19.9450'],
  ['Porto', 'Portugal', '41.1579,-8.6291'],
  ['Brisbane', 'Australia', '-27.4698,153.0251'],
] as const;

export const sites = ['Data Centre', 'Plant', 'Office', 'Warehouse', 'Depot'];

export interface Role {
  prefix: string;
  /** The `deviceTypeId`; `system` is the `operatingSystemId`. */
  type: number;
  system: number;
  tags: string;
  /** Usual load in percent. */
  cpu: number;
  memory: number;
}

export const roles: readonly Role[] = [
  { prefix: 'web', type: 1, system: 4, tags: 'web,frontend', cpu: 28, memory: 46 },
  { prefix: 'app', type: 1, system: 4, tags: 'app,backend', cpu: 35, memory: 61 },
  { prefix: 'db', type: 2, system: 4, tags: 'database,critical', cpu: 41, memory: 78 },
  { prefix: 'queue', type: 1, system: 4, tags: 'messaging', cpu: 22, memory: 38 },
  { prefix: 'file', type: 2, system: 1, tags: 'storage,backup', cpu: 12, memory: 44 },
  { prefix: 'dc', type: 1, system: 1, tags: 'directory,critical', cpu: 15, memory: 52 },
  { prefix: 'gw', type: 2, system: 4, tags: 'gateway,edge', cpu: 9, memory: 31 },
  { prefix: 'pump', type: 2, system: 4, tags: 'plant,edge', cpu: 7, memory: 27 },
  { prefix: 'till', type: 2, system: 1, tags: 'point-of-sale', cpu: 18, memory: 57 },
  { prefix: 'build', type: 1, system: 2, tags: 'development', cpu: 55, memory: 66 },
];
