// Compiles every WGSL file of a folder with Tint, the compiler of Chrome (Dawn), and prints its messages.
//
//   node tests/tint/check.mjs FOLDER
//
// Exits with 1 if there are any. The null backend needs no device.
import { create, globals } from 'webgpu';
import fs from 'node:fs';
import path from 'node:path';

Object.assign(globalThis, globals);
const folder = process.argv[2];
// Dawn is destroyed with its instance, so a global keeps the instance alive.
globalThis.instance = create(['backend=null']);
const adapter = await globalThis.instance.requestAdapter();
const device = await adapter.requestDevice({ requiredFeatures: ['subgroups'] });

let modules = 0;
let wrong = 0;
for (const file of fs.readdirSync(folder).filter((file) => file.endsWith('.wgsl')).sort()) {
    const code = fs.readFileSync(path.join(folder, file), 'utf8');
    device.pushErrorScope('validation');
    const info = await device.createShaderModule({ code, label: file }).getCompilationInfo();
    await device.popErrorScope();
    modules += 1;
    wrong += info.messages.some((message) => message.type !== 'info') ? 1 : 0;
    for (const message of info.messages) {
        console.log(`${file}:${message.lineNum}:${message.linePos}: ${message.type}: ${message.message}`);
        console.log(`    ${code.split('\n')[message.lineNum - 1] ?? ''}`);
    }
}
console.log(`${modules} modules, ${wrong} with messages`);
process.exit(wrong === 0 ? 0 : 1);
