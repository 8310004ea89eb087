/** The sizes of the demo data. */
export const sizes = {
  small: { tenants: 3, people: 12, devices: 40, workUnits: 500, unitDays: 120, packetDays: 21, packetMinutes: 10 },
  medium: { tenants: 20, people: 60, devices: 1_000, workUnits: 50_000, unitDays: 365, packetDays: 14, packetMinutes: 20 },
  large: { tenants: 200, people: 400, devices: 20_000, workUnits: 1_000_000, unitDays: 730, packetDays: 7, packetMinutes: 20 },
} as const;

export type SizeName = keyof typeof sizes;

export interface Size {
  tenants: number;
  people: number;
  devices: number;
  workUnits: number;
  /** Work units were created over this many days. */
  unitDays: number;
  packetDays: number;
  /** Minutes between two packets of a device. */
  packetMinutes: number;
}
