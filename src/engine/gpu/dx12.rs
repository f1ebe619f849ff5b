//! DirectX 12 with a compiler that accepts our shaders.
//!
//! Windows has two HLSL compilers. FXC is part of the system, but it rejects dynamic indices and barriers
//! that it cannot prove uniform, so no base compiles. DXC is a library that programs ship: linked statically
//! (feature `static-dxc`), or as `dxcompiler.dll` in the program's folder or in `PATH`. Without DXC, only
//! Vulkan is offered.

use std::path::{Path, PathBuf};

use wgpu::{Backends, Dx12Compiler};

/// The file name of DXC.
const LIBRARY: &str = "dxcompiler.dll";
/// Whether DXC is linked statically, under the same conditions as in wgpu.
const LINKED: bool =
    cfg!(all(windows, feature = "static-dxc", target_env = "msvc", not(target_arch = "aarch64")));

/// Returns the backends to search for adapters, and the compiler for DirectX 12.
pub fn offered() -> (Backends, Dx12Compiler) {
    let beside = std::env::current_exe().ok().and_then(|program| Some(program.parent()?.to_path_buf()));
    let path = std::env::var_os("PATH").unwrap_or_default();
    let library = find(beside.into_iter().chain(std::env::split_paths(&path)), &|file| file.is_file());
    choose(LINKED, if cfg!(windows) { library } else { None })
}

/// Returns the library in the first folder that contains it. Relative folders are skipped, because anybody
/// may place a file there.
fn find(folders: impl Iterator<Item = PathBuf>, is_file: &dyn Fn(&Path) -> bool) -> Option<PathBuf> {
    folders.filter(|folder| folder.is_absolute()).map(|folder| folder.join(LIBRARY)).find(|file| is_file(file))
}

/// Returns all backends, without DirectX 12 if only FXC could compile for it. If the library cannot be
/// loaded, DirectX 12 has no adapters: wgpu falls back to FXC only if no compiler is specified.
fn choose(linked: bool, library: Option<PathBuf>) -> (Backends, Dx12Compiler) {
    match library {
        _ if linked => (Backends::PRIMARY, Dx12Compiler::StaticDxc),
        Some(library) => {
            let dxc_path = library.to_string_lossy().into_owned();
            (Backends::PRIMARY, Dx12Compiler::DynamicDxc { dxc_path })
        }
        None => (Backends::PRIMARY - Backends::DX12, Dx12Compiler::Fxc),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directx_12_is_offered_only_if_dxc_is_available() {
        let library = || Some(PathBuf::from("/program/dxcompiler.dll"));
        for (linked, library, offered) in
            [(false, None, false), (false, library(), true), (true, None, true), (true, library(), true)]
        {
            let (backends, compiler) = choose(linked, library.clone());
            assert_eq!(backends.contains(Backends::DX12), offered, "{linked} {library:?}");
            assert!(backends.contains(Backends::VULKAN | Backends::METAL));
            match compiler {
                Dx12Compiler::StaticDxc => assert!(linked),
                Dx12Compiler::DynamicDxc { dxc_path } => {
                    assert_eq!((linked, Some(PathBuf::from(dxc_path))), (false, library));
                }
                Dx12Compiler::Fxc => assert!(!offered),
                Dx12Compiler::Auto => panic!("it may take FXC"),
            }
        }
    }

    #[test]
    fn dxc_library_is_searched_for_in_absolute_folders_only() {
        let folders = || ["/program", "tools", "/later"].map(PathBuf::from).into_iter();
        assert_eq!(find(folders(), &|_| true), Some("/program/dxcompiler.dll".into()));
        assert_eq!(find(folders(), &|file| file.starts_with("/later")), Some("/later/dxcompiler.dll".into()));
        assert_eq!(find(folders(), &|file| file.starts_with("tools")), None);
    }
}
