//! Reads and writes weights as safetensors files.

use std::collections::HashMap;

use half::f16;
use safetensors::tensor::{Dtype, SafeTensors, TensorView, serialize};

use super::{Config, Tensor, Unavailable, Weights, tensors};
use crate::lang::hash::fnv64;
use crate::network::vocabulary::{TARGET_ISA, VOCABULARY_VERSION};

/// The value of `format` in the file's metadata.
const FORMAT: &str = "myriad-neural";

/// The metadata entry that holds the checksum.
const CHECKSUM: &str = "checksum";
/// Bytes before the header, which hold its length.
const PREFIX: usize = 8;

/// Returns the checksum of all other entries, sorted by name, and of the tensors as stored in the file:
/// FNV-1a of 64 bits (Fowler, Noll, Vo), in hexadecimal digits.
fn checksum(entries: &HashMap<String, String>, tensors: &[u8]) -> String {
    let mut entries: Vec<String> = { entries.iter() }
        .filter(|(entry, _)| *entry != CHECKSUM)
        .map(|(entry, value)| format!("{entry}={value}\n"))
        .collect();
    entries.sort_unstable();
    let entries = entries.iter().flat_map(|entry| entry.bytes());
    format!("{:016x}", fnv64(entries.chain(tensors.iter().copied())))
}

/// Reads the bytes of a weights file.
///
/// # Errors
/// If the bytes are corrupt, of another version, or not a model's weights.
pub fn read(bytes: &[u8]) -> Result<Weights, Unavailable> {
    let corrupt = |error: safetensors::SafeTensorError| Unavailable::Corrupt(error.to_string());
    let (length, header) = SafeTensors::read_metadata(bytes).map_err(corrupt)?;
    let nothing = HashMap::new();
    let entries = header.metadata().as_ref().unwrap_or(&nothing);
    if entries.get("format").map(String::as_str) != Some(FORMAT) {
        return Err(Unavailable::Format("format"));
    }
    let isa = number(entries, "isa")? as u32;
    if isa != TARGET_ISA {
        return Err(Unavailable::Isa { weights: isa, program: TARGET_ISA });
    }
    let vocabulary = number(entries, "vocabulary")? as u32;
    if vocabulary != VOCABULARY_VERSION {
        return Err(Unavailable::Vocabulary { weights: vocabulary, program: VOCABULARY_VERSION });
    }
    // Weights of older releases have no checksum.
    if let Some(stated) = entries.get(CHECKSUM)
        && *stated != checksum(entries, bytes.get(PREFIX + length..).unwrap_or_default())
    {
        return Err(Unavailable::Damaged);
    }
    let size = |entry| number(entries, entry).map(|n| n as usize);
    let config = Config { width: size("width")?, heads: size("heads")?, layers: size("layers")? };
    let Config { width, heads, layers } = config;
    if !config.is_sound() {
        return Err(Unavailable::Config { width, heads, layers });
    }
    let file = SafeTensors::deserialize(bytes).map_err(corrupt)?;
    let list = tensors(&config);
    // Limit the capacity by the size of the file, whatever its header claims.
    let mut data = Vec::with_capacity(config.parameters().min(bytes.len()));
    for tensor in &list {
        append(&file, tensor, &mut data)?;
    }
    Ok(Weights { config, steps: number(entries, "steps")?, examples: number(entries, "examples")?, data })
}

fn number(entries: &HashMap<String, String>, entry: &'static str) -> Result<u64, Unavailable> {
    let value = entries.get(entry).and_then(|text| text.parse::<u32>().ok());
    value.map(u64::from).ok_or(Unavailable::Format(entry))
}

fn append(file: &SafeTensors, tensor: &Tensor, data: &mut Vec<f32>) -> Result<(), Unavailable> {
    let name = || tensor.name.clone();
    let view = file.tensor(&tensor.name).map_err(|_| Unavailable::Missing(name()))?;
    let expected = tensor.shape();
    if view.shape() != expected {
        return Err(Unavailable::Shape { tensor: name(), found: view.shape().to_vec(), expected });
    }
    let from = data.len();
    match view.dtype() {
        Dtype::F32 => data.extend(view.data().as_chunks().0.iter().map(|&bytes| f32::from_le_bytes(bytes))),
        Dtype::F16 => {
            data.extend(view.data().as_chunks().0.iter().map(|&bytes| f16::from_le_bytes(bytes).to_f32()));
        }
        other => return Err(Unavailable::Numbers { tensor: name(), found: format!("{other:?}") }),
    }
    if data[from..].iter().all(|x| x.is_finite()) { Ok(()) } else { Err(Unavailable::NotFinite(name())) }
}

/// Returns the bytes of a weights file. Its numbers are f16 if `halved`, else f32.
///
/// # Errors
/// If the length of `data` does not match the configuration.
pub fn write(weights: &Weights, halved: bool) -> Result<Vec<u8>, Unavailable> {
    let Weights { config, steps, examples, data } = weights;
    if data.len() != config.parameters() {
        return Err(Unavailable::Corrupt(format!("{} numbers, not {}", data.len(), config.parameters())));
    }
    let entries = [
        ("format", FORMAT.to_owned()),
        ("isa", TARGET_ISA.to_string()),
        ("vocabulary", VOCABULARY_VERSION.to_string()),
        ("width", config.width.to_string()),
        ("heads", config.heads.to_string()),
        ("layers", config.layers.to_string()),
        ("steps", steps.to_string()),
        ("examples", examples.to_string()),
    ];
    let mut entries: HashMap<String, String> = entries.map(|(entry, value)| (entry.to_owned(), value)).into();
    let (dtype, bytes): (Dtype, Vec<u8>) = match halved {
        true => (Dtype::F16, data.iter().flat_map(|&x| f16::from_f32(x).to_le_bytes()).collect()),
        false => (Dtype::F32, data.iter().flat_map(|x| x.to_le_bytes()).collect()),
    };
    let each = bytes.len() / data.len();
    let list = tensors(config);
    let mut views = Vec::with_capacity(list.len());
    for tensor in &list {
        let range = tensor.offset * each..(tensor.offset + tensor.len()) * each;
        let view = TensorView::new(dtype, tensor.shape(), &bytes[range]);
        views.push((&tensor.name, view.map_err(|error| Unavailable::Corrupt(error.to_string()))?));
    }
    let corrupt = |error: safetensors::SafeTensorError| Unavailable::Corrupt(error.to_string());
    let unsigned =
        serialize(views.iter().map(|(name, view)| (name, view)), Some(entries.clone())).map_err(corrupt)?;
    let (length, _) = SafeTensors::read_metadata(&unsigned).map_err(corrupt)?;
    let sum = checksum(&entries, unsigned.get(PREFIX + length..).unwrap_or_default());
    entries.insert(CHECKSUM.to_owned(), sum);
    serialize(views, Some(entries)).map_err(corrupt)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn weights() -> Weights {
        Weights { steps: 7, examples: 700, ..Weights::random(Config::new(64, 2), 1) }
    }

    /// Replaces every occurrence of a text in the file's header by another text of equal length.
    fn forged(from: &str, to: &str) -> Vec<u8> {
        assert_eq!(from.len(), to.len());
        let mut bytes = write(&weights(), false).unwrap();
        let mut found = false;
        for at in 0..bytes.len().min(8_000) - from.len() {
            if &bytes[at..at + from.len()] == from.as_bytes() {
                bytes[at..at + from.len()].copy_from_slice(to.as_bytes());
                found = true;
            }
        }
        assert!(found, "{from}");
        bytes
    }

    #[test]
    fn weights_round_trip_through_a_file() {
        let weights = weights();
        assert_eq!(read(&write(&weights, false).unwrap()).unwrap(), weights);
        let halved = read(&write(&weights, true).unwrap()).unwrap();
        assert!(halved.data.iter().zip(&weights.data).all(|(a, b)| (a - b).abs() <= 1e-3 * b.abs() + 1e-7));
    }

    #[test]
    fn weights_of_other_versions_are_refused_with_the_mismatch() {
        let isa = format!("\"isa\":\"{TARGET_ISA}\"");
        let expected = Unavailable::Isa { weights: 9, program: TARGET_ISA };
        assert_eq!(read(&forged(&isa, "\"isa\":\"9\"")).unwrap_err(), expected);
        let vocabulary = format!("\"vocabulary\":\"{VOCABULARY_VERSION}\"");
        let expected = Unavailable::Vocabulary { weights: 9, program: VOCABULARY_VERSION };
        assert_eq!(read(&forged(&vocabulary, "\"vocabulary\":\"9\"")).unwrap_err(), expected);
        assert_eq!(read(&forged("myriad-neural", "myriad-neuron")).unwrap_err(), Unavailable::Format("format"));
        let unsound = Weights { config: Config { heads: 3, ..weights().config }, ..weights() };
        let expected = Unavailable::Config { width: 64, heads: 3, layers: 2 };
        assert_eq!(read(&write(&unsound, false).unwrap()).unwrap_err(), expected);
    }

    #[test]
    fn a_single_damaged_bit_is_noticed() {
        let whole = write(&weights(), true).unwrap();
        let (length, _) = SafeTensors::read_metadata(&whole).unwrap();
        let data = whole.len() - PREFIX - length;
        for place in (0..64).map(|i| PREFIX + length + i * (data - 1) / 63) {
            // Flip the lowest bit of a number, which leaves it finite.
            let mut damaged = whole.clone();
            damaged[place & !1] ^= 1;
            assert_eq!(read(&damaged).unwrap_err(), Unavailable::Damaged, "byte {place}");
        }
        assert_eq!(read(&forged("\"steps\":\"7\"", "\"steps\":\"8\"")).unwrap_err(), Unavailable::Damaged);
        // Files of older releases have no checksum.
        assert_eq!(read(&forged("\"checksum\"", "\"chequers\"")).unwrap(), weights());
    }

    #[test]
    fn shipped_weights_carry_a_checksum() {
        let shipped = crate::network::weights::SHIPPED;
        let (_, header) = SafeTensors::read_metadata(shipped).unwrap();
        assert!(header.metadata().as_ref().unwrap().contains_key(CHECKSUM));
        assert!(read(shipped).is_ok());
    }

    #[test]
    fn broken_files_are_refused() {
        let whole = write(&weights(), false).unwrap();
        for end in [0, 7, 8, 100, whole.len() / 2, whole.len() - 1] {
            assert!(matches!(read(&whole[..end]), Err(Unavailable::Corrupt(_))), "cut at {end}");
        }
        let renamed = read(&forged("encoder.norm", "encoder.form")).unwrap_err();
        assert_eq!(renamed, Unavailable::Missing("encoder.norm".into()));
        let reshaped = read(&forged("\"shape\":[5,64]", "\"shape\":[64,5]")).unwrap_err();
        assert!(matches!(reshaped, Unavailable::Shape { .. }), "{reshaped:?}");
        let mut poisoned = weights();
        poisoned.data[3] = f32::NAN;
        let refused = read(&write(&poisoned, false).unwrap()).unwrap_err();
        assert_eq!(refused, Unavailable::NotFinite("embed".into()));
    }

    #[test]
    fn random_bytes_are_refused_without_a_panic() {
        for seed in 0..2_000u32 {
            let mut bytes = write(&Weights::random(Config::new(32, 1), 1), true).unwrap();
            bytes.truncate(6_000);
            for i in 0..1 + seed % 8 {
                let h = crate::compiler::stage::execute::mix(seed * 8 + i);
                let at = h as usize % 3_000;
                bytes[at] = (h >> 24) as u8;
            }
            assert!(read(&bytes).is_err());
        }
    }
}
